--- Sets of special headers in lower case, generated from src/model/special-headers.ts.
-- May yield: no. Pure.
return {
    -- Only the data plane writes them.
    of_connection = {
        ["connection"] = true,
        ["content-length"] = true,
        ["keep-alive"] = true,
        ["proxy-connection"] = true,
        ["te"] = true,
        ["trailer"] = true,
        ["transfer-encoding"] = true,
        ["upgrade"] = true,
        ["x-albc-turns"] = true,
    },
    -- Never copied from one message to another.
    of_hop = {
        ["connection"] = true,
        ["content-length"] = true,
        ["keep-alive"] = true,
        ["proxy-connection"] = true,
        ["te"] = true,
        ["trailer"] = true,
        ["transfer-encoding"] = true,
        ["upgrade"] = true,
        ["x-albc-turns"] = true,
        ["expect"] = true,
        ["host"] = true,
        ["proxy-authenticate"] = true,
        ["proxy-authorization"] = true,
        ["http2-settings"] = true,
    },
    -- Never passed on.
    dropped = {
        ["x-forwarded-scheme"] = true,
        ["x-forwarded-ssl"] = true,
        ["x-original-url"] = true,
        ["x-rewrite-url"] = true,
        ["proxy"] = true,
        ["http2-settings"] = true,
    },
    -- Describe the content of a message.
    content = {
        ["content-length"] = true,
        ["content-digest"] = true,
        ["content-disposition"] = true,
        ["content-encoding"] = true,
        ["content-language"] = true,
        ["content-location"] = true,
        ["content-md5"] = true,
        ["content-range"] = true,
        ["content-type"] = true,
        ["digest"] = true,
        ["repr-digest"] = true,
    },
    -- Passed on only from trusted proxies, like every header x-original-*.
    claims = {
        ["forwarded"] = true,
        ["x-forwarded-method"] = true,
        ["x-forwarded-prefix"] = true,
        ["x-forwarded-uri"] = true,
        ["x-original-for"] = true,
        ["x-original-forwarded-for"] = true,
        ["x-original-host"] = true,
        ["x-original-method"] = true,
        ["x-original-path"] = true,
        ["x-original-prefix"] = true,
        ["x-original-proto"] = true,
        ["x-auth-request-redirect"] = true,
        ["x-forwarded-server"] = true,
        ["x-sent-from"] = true,
    },
}
