-- The code runs in nginx and nowhere else: only the globals of ngx_lua and LuaJIT are known, and
-- writing any global is an error.
std = "ngx_lua"
max_line_length = 100
max_string_line_length = false
max_cyclomatic_complexity = 12
