-- alarms: what people are told. Not a script of its own.
-- needs: jobs books

-- One alarm for each cause. A worker of the fleet reads the stream as group `heralds` and tells; what one that died
-- left untold, another tells.
local function alarm(kind, fields)
    redis.call('XADD', ALERTS, '*', 'kind', kind, 'at', now_ms, unpack(fields))
    ring()
end

-- Pauses the app, unless it is paused. Returns whether it did, and the pause's number.
local function pause_app(reason, by, why, id)
    local standing = redis.call('HMGET', GATE, 'paused', 'pauses')
    if standing[1] then return false, standing[2] or '0' end
    local number = stamp(redis.call('HINCRBY', GATE, 'pauses', 1))
    redis.call('HSET', GATE, 'paused', reason, 'pausedAt', now_ms, 'pausedBy', by, 'pausedWhy', why)
    redis.call('HDEL', GATE, 'suspects', 'refusedBy', 'refusedAt')
    book('paused', id or '', { 'reason', reason, 'by', by, 'why', why, 'pause', number })
    alarm('paused', { 'reason', reason, 'why', why, 'by', by, 'pause', number })
    return true, number
end
