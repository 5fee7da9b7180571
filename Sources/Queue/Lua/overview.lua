#!lua flags=no-writes,allow-oom
-- overview: one app at one moment; moves nothing. In one script, so that a job on its way isn't missed in every place.
-- KEYS[1]  base
-- Result   { now µs, jobs by lane (3), in flight, later, followers, held, dead, oldest µs or '', departures in the last
--            second, blocked until µs or '', probe at µs or '', paused reason, since ms, by, why, alarms untold }

local result = { stamp(now) }
local oldest
for _, lane in ipairs(LANES) do
    result[#result + 1] = redis.call('XLEN', lane_key(lane)) + redis.call('ZCARD', ready_key(lane))
    local head = redis.call('XRANGE', lane_key(lane), '-', '+', 'COUNT', 1)[1]
    local front = redis.call('ZRANGE', ready_key(lane), 0, 0, 'WITHSCORES')
    local added = head and tonumber(string.match(head[1], '^%d+')) * 1000
    for _, at in ipairs({ added or false, front[2] and tonumber(front[2]) or false }) do
        if at and (not oldest or at < oldest) then oldest = at end
    end
end
result[#result + 1] = redis.call('ZCARD', LEASES)
result[#result + 1] = redis.call('ZCARD', LATER)
result[#result + 1] = redis.call('ZCARD', FOLLOWERS)
result[#result + 1] = redis.call('SCARD', HELD)
result[#result + 1] = redis.call('XLEN', DEAD)
result[#result + 1] = oldest and stamp(oldest) or ''
local departures = 0
for _, departed in ipairs(redis.call('LRANGE', DEPARTURES, 0, -1)) do
    if tonumber(departed) > now - 1000000 then departures = departures + 1 end
end
result[#result + 1] = departures
local gate = redis.call('HMGET', GATE, 'blockedUntil', 'probeAt', 'paused', 'pausedAt', 'pausedBy', 'pausedWhy')
for i = 1, 6 do result[#result + 1] = gate[i] or '' end
result[#result + 1] = redis.call('XLEN', ALERTS)
return result
