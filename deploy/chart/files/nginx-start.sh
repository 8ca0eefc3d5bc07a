# First process of the nginx container. Paths in nginx.conf are relative: to the working folder, which is also nginx's prefix.
# A shell with process id 1 ignores signals that it does not handle.
trap 'exit 0' TERM QUIT INT
# policy.json is the last file that albc writes.
until [ -s /run/albc/policy.json ]; do sleep 0.2; done
for name in nginx.conf policy.json changes.json authorities certificates credentials environment lua streams; do
  ln -sfn "/run/albc/$name" "$name"
done
mkdir -p logs tmp
# Sockets left by a master that was killed would be in the way.
rm -f control/*.sock tmp/*.sock
# OpenResty has its modules built in; Debian's nginx loads them.
if command -v openresty >/dev/null; then
  exec openresty -e stderr -p /run/nginx/ -c nginx.conf -g "daemon off;"
fi
modules=/usr/lib/nginx/modules
exec nginx -e stderr -p /run/nginx/ -c nginx.conf -g "daemon off; load_module $modules/ndk_http_module.so;
  load_module $modules/ngx_http_lua_module.so; load_module $modules/ngx_stream_module.so;"
