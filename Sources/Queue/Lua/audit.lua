#!lua flags=allow-oom
-- audit: what others did to the streams that producers write; moves nothing.
-- KEYS[1]  base
-- ARGV     streams that nobody reads and that seem to be meant for this app, each followed by its number of entries
-- Result   the number of alarms that it raised
-- Of each lane: all that was ever added is still there or was taken by `lease` and `adopt`. What is missing besides was
-- deleted by somebody: XDEL, XTRIM, XADD with MAXLEN. Less than before: the stream itself was deleted and made anew.
-- needs: books alarms

local raised = 0
local function tell(kind, fields)
    alarm(kind, fields)
    book(kind, '', fields)
    raised = raised + 1
end

for _, lane in ipairs(LANES) do
    local kind = redis.call('TYPE', lane_key(lane)).ok
    local known = redis.call('HMGET', INTAKE, lane, lane .. ':gap', lane .. ':kind')
    if kind ~= 'stream' and kind ~= 'none' then
        if known[3] ~= kind then tell('wrongKind', { 'stream', lane_key(lane), 'type', kind }) end
        redis.call('HSET', INTAKE, lane .. ':kind', kind)
    else
        if known[3] then redis.call('HDEL', INTAKE, lane .. ':kind') end
        local added, length = 0, 0
        local info = kind == 'stream' and redis.call('XINFO', 'STREAM', lane_key(lane)) or {}
        for i = 1, #info, 2 do
            if info[i] == 'entries-added' then added = info[i + 1] end
            if info[i] == 'length' then length = info[i + 1] end
        end
        local gap, before = added - length - tonumber(known[1] or '0'), tonumber(known[2] or '0')
        if gap ~= before then redis.call('HSET', INTAKE, lane .. ':gap', stamp(gap)) end
        if gap > before then
            redis.call('HINCRBY', INTAKE, lane .. ':deleted', gap - before)
            tell('entriesDeleted', { 'stream', lane_key(lane), 'entries', stamp(gap - before) })
        elseif gap < before then
            tell('laneDeleted', { 'stream', lane_key(lane) })
        end
    end
end

local found = {}
for i = 1, #ARGV, 2 do
    found[ARGV[i]] = true
    if redis.call('HSETNX', STRAYS, ARGV[i], now_ms) == 1 then
        tell('unknownStream', { 'stream', ARGV[i], 'entries', ARGV[i + 1] })
    end
end
for _, stream in ipairs(redis.call('HKEYS', STRAYS)) do
    if not found[stream] then redis.call('HDEL', STRAYS, stream) end
end
return raised
