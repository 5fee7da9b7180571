-- lanes: what leaves a lane's stream. Not a script of its own.

-- Takes entries out of a stream that were acknowledged before. They are counted: `audit` knows by that what others took.
local function remove_entries(lane, entries)
    if #entries == 0 then return end
    local removed = redis.call('XDEL', lane_key(lane), unpack(entries))
    if removed > 0 then redis.call('HINCRBY', INTAKE, lane, removed) end
end
