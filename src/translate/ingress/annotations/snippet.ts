/** What a snippet of nginx configuration is for, as far as its directives tell. */

/** A quoted text, a comment, a mark that ends a statement, or a word. A comment begins where a word could. */
const TOKEN = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|(#[^\n]*)|([;{}])|(?:\\.|\$\{\w*\}|[^\s;{}])+/gs;

/** Directives that decide neither who may pass nor where a request goes: headers, timeouts, buffers, compression, caches, rates, logs. */
const HARMLESS = new RegExp(
  `^(?:${[
    "add_(?:header|trailer)|expires|more_(?:set|clear)_(?:input_)?headers|set",
    "(?:proxy|grpc)_(?:(?:set|hide|pass|ignore)_headers?|\\w+_timeout|socket_keepalive|next_upstream(?:_\\w+)?)",
    "(?:proxy|grpc)_(?:buffers?|buffering|buffer_size|busy_buffers_size|intercept_errors|limit_rate)",
    "proxy_(?:cache\\w*|no_cache|cookie_\\w+|http_version|max_temp_file_size|redirect|request_buffering|temp_file_write_size)",
    "(?:proxy|grpc)_ssl_(?:ciphers|name|protocols|server_name|session_reuse)",
    "client_(?:body_(?:buffer_size|timeout)|header_(?:buffer_size|timeout)|max_body_size)|large_client_header_buffers",
    "keepalive_\\w+|lingering_\\w+|reset_timedout_connection|send_timeout|sendfile|tcp_no(?:delay|push)|output_buffers",
    "(?:brotli|gunzip|gzip|zstd)(?:_\\w+)?|charset(?:_types)?|default_type|etag|if_modified_since|server_tokens|sub_filter\\w*",
    "limit_(?:conn|rate|req)(?:_\\w+)?|error_page|http2_\\w+",
    "(?:access|error|rewrite)_log|log_(?:not_found|subrequest)|(?:opentelemetry|opentracing|otel)(?:_\\w+)?",
    "ssl_(?:buffer_size|ciphers|dhparam|ecdh_curve|prefer_server_ciphers|protocols|session_\\w+|stapling\\w*)",
  ].join("|")})$`,
);

/** Whether one of its directives may decide who may pass: all may that are not known to be harmless. */
export function snippetRestricts(text: string): boolean {
  let isFirst = true;
  for (const [token, comment, end] of text.matchAll(TOKEN)) {
    if (comment !== undefined) continue;
    if (isFirst && end === undefined && !HARMLESS.test(unquoted(token))) return true;
    isFirst = end !== undefined;
  }
  return false;
}

function unquoted(token: string): string {
  return token.replace(/^(["'])(.*)\1$/s, "$2");
}
