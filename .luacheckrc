-- The code runs in nginx and nowhere else: only the globals of ngx_lua and LuaJIT are known, and
-- writing any global is an error.
std = "ngx_lua"
-- Code is wrapped at 100 by StyLua; comments may use the same 120 as in TypeScript.
max_line_length = 120
max_string_line_length = false
max_cyclomatic_complexity = 12
