--- Counters of routes and auth policies: rows of numbers in memory that all processes of nginx share.
--
-- A count is one addition, without a lock: each worker adds to a table of its own, and a reader sums the tables. The
-- tables outlive their workers, so reloads and killed workers lose nothing; a later worker continues the table of one
-- that has ended. The dictionary `albc_rows` knows where the memory is, who has which table, and whose each row is. If
-- that dictionary is made anew (by another limit), so is the memory, and everything begins at 0.
--
-- The number of rows is limited; all that got none share row 0 for requests and row 1 for checks. A row is given back
-- when the policy has had no such route or auth policy for RETENTION seconds, so that one which comes back soon
-- continues its counts. A request that began before may still be added to the row then.
-- May yield: only in the `pause` argument. Phases: start in init; attach in init_worker; others in any.
local ffi = require("ffi")
local store = require("alb.policy.store")

local C = ffi.C
local cast = ffi.cast
local ngx = ngx
local now, update_time = ngx.now, ngx.update_time
local str_sub = string.sub
local tonumber = tonumber

ffi.cdef([[
    void *mmap(void *address, size_t length, int protection, int flags, int fd, int64_t offset);
    int kill(int pid, int signal);
]])

local READ_WRITE = 3
-- Shared, anonymous, and only as much of it as is written to.
local MAP_FLAGS = ffi.os == "OSX" and 0x1001 or 0x4021
local NO_SUCH_PROCESS = 3
-- Bytes of a number.
local SIZE = 8
-- For each worker of nginx: itself, and those that it replaces and that still drain (phases/worker.lua).
local TABLES_PER_WORKER = 25
-- Seconds in which a worker that the master has started says so.
local LONGEST_START = 60
-- Rows that are read between two looks at the clock, and seconds after which others have a turn. A pause lasts longer
-- than a millisecond, so fixed numbers of rows that are safe before LuaJIT has compiled the code are slow afterwards.
local BATCH, TURN = 100, 0.0015

-- Keys of the dictionary: of the memory, the number of its tables, its rows so far, and the rows that were given back.
local ADDRESS, TABLES, LAST, FREE = "address", "tables", "last", "free"
-- Their beginnings: the process of a table, the row of a key, the key of a row.
local PROCESS, ROW, KEY = "p\t", "r\t", "k\t"

local _M = {
    --- Numbers of a row.
    WIDTH = 24,
    --- Seconds for which the row of a removed route or auth policy is kept.
    RETENTION = 600,
    --- Beginnings of keys: requests of a route, checks of a route's own auth, checks of an auth policy. The id follows.
    REQUESTS = "q",
    ROUTE_AUTH = "b",
    AUTH = "a",
}

local WIDTH = _M.WIDTH
local SHARED_ROW = { [_M.REQUESTS] = 0, [_M.ROUTE_AUTH] = 1, [_M.AUTH] = 1 }
local MAP_OF = { [_M.REQUESTS] = "routes", [_M.ROUTE_AUTH] = "routes", [_M.AUTH] = "auths" }

local dict
local limit = 0
local memory
-- The tables that the master gives its next workers, by the number of the worker.
local given = {}

local function is_alive(pid)
    return C.kill(pid, 0) == 0 or ffi.errno() ~= NO_SUCH_PROCESS
end

local function table_size()
    return (limit + 2) * WIDTH
end

local function map_memory()
    local tables = TABLES_PER_WORKER * ngx.worker.count()
    local mapped = C.mmap(nil, tables * table_size() * SIZE, READ_WRITE, MAP_FLAGS, -1, 0)
    local address = tonumber(cast("intptr_t", mapped))
    if address == -1 then
        ngx.log(ngx.ERR, "albc: no memory for the metrics of routes, which are not counted")
        return nil
    end
    dict:set(TABLES, tables)
    dict:set(ADDRESS, address)
    return address
end

-- The process of a table is negative while it is promised to a worker that has not started: since when.
local function is_free(index)
    local process = dict:get(PROCESS .. index)
    if not process then
        return true
    elseif process < 0 then
        return ngx.time() + process > LONGEST_START
    end
    return not is_alive(process)
end

local function give_tables()
    local index = 0
    for id = 0, ngx.worker.count() - 1 do
        while index < dict:get(TABLES) - 1 and not is_free(index) do
            index = index + 1
        end
        given[id] = index
        dict:set(PROCESS .. index, -ngx.time())
        index = index + 1
    end
end

--- Called in the master at each start and reload, before its workers are forked.
---@param rows integer the limit; 0: nothing is counted
function _M.start(rows)
    dict, limit = ngx.shared.albc_rows, rows
    if not dict then
        return
    end
    local address = dict:get(ADDRESS) or map_memory()
    if address then
        memory = cast("double *", address)
        give_tables()
    end
end

-- This worker's table.
local cells

--- Called in each worker.
function _M.attach()
    local index = memory and given[ngx.worker.id()]
    if index then
        cells = memory + index * table_size()
        dict:set(PROCESS .. index, ngx.worker.pid())
    end
end

-- Nil if none is left.
local function new_row()
    local row = dict:lpop(FREE)
    if row then
        return row
    end
    row = dict:incr(LAST, 1, 1)
    if row <= limit + 1 then
        return row
    end
    dict:incr(LAST, -1)
end

--- The row of a key; false if nothing is counted.
---@param kind string REQUESTS, ROUTE_AUTH or AUTH
---@param id string
---@return integer|false
function _M.of(kind, id)
    if not cells then
        return false
    end
    local key = kind .. id
    local row = dict:get(ROW .. key)
    if row then
        return row
    end
    row = new_row()
    if not row then
        return SHARED_ROW[kind]
    end
    if dict:safe_add(ROW .. key, row) and dict:safe_set(KEY .. row, key) then
        return row
    end
    -- Another worker was quicker, or the dictionary is full.
    dict:rpush(FREE, row)
    return dict:get(ROW .. key) or SHARED_ROW[kind]
end

--- Adds to a number of a row.
---@param row integer
---@param column integer from 0
---@param count number
function _M.add(row, column, count)
    local at = row * WIDTH + column
    cells[at] = cells[at] + count
end

local function used_tables()
    local used = {}
    for index = 0, dict:get(TABLES) - 1 do
        if dict:get(PROCESS .. index) then
            used[#used + 1] = memory + index * table_size()
        end
    end
    return used
end

-- Rows whose owner this worker has found missing: since when.
local missing = {}

local sums = ffi.new("double[?]", WIDTH)

-- The sums of a row over the tables as bytes; nil if all are 0.
local function read_row(row, used)
    local at, any = row * WIDTH, 0
    for column = 0, WIDTH - 1 do
        local sum = 0
        for i = 1, #used do
            sum = sum + used[i][at + column]
        end
        sums[column] = sum
        any = any + sum
    end
    return any > 0 and ffi.string(sums, WIDTH * SIZE) or nil
end

local function give_back(row, key, used)
    dict:delete(ROW .. key)
    dict:delete(KEY .. row)
    missing[row] = nil
    for i = 1, #used do
        ffi.fill(used[i] + row * WIDTH, WIDTH * SIZE)
    end
    dict:rpush(FREE, row)
end

-- Whether the policy has lacked the row's owner for so long that another one may have the row.
local function is_abandoned(row, key)
    if store.has(MAP_OF[str_sub(key, 1, 1)], str_sub(key, 2)) then
        missing[row] = nil
        return false
    end
    missing[row] = missing[row] or ngx.time()
    return ngx.time() - missing[row] > _M.RETENTION
end

-- The key of a row that is in use; nil otherwise.
local function key_of(row, used)
    if row < 2 then
        return row == 0 and _M.REQUESTS or _M.AUTH
    end
    local key = dict:get(KEY .. row)
    if key and is_abandoned(row, key) then
        return give_back(row, key, used)
    end
    return key
end

--- Calls `visit` with the key of each row that has counts and its sums: WIDTH doubles. The shared rows have keys of a
--- kind without an id.
---@param visit fun(key: string, sums: string)
---@param pause function called regularly; may yield
function _M.read(visit, pause)
    if not cells then
        return
    end
    local used = used_tables()
    local began = now()
    for row = 0, dict:get(LAST) or 1 do
        local key = key_of(row, used)
        local sum = key and read_row(row, used)
        if sum then
            visit(key, sum)
        end
        if row % BATCH == BATCH - 1 then
            update_time()
            if now() - began > TURN then
                pause()
                began = now()
            end
        end
    end
end

return _M
