#!lua flags=allow-oom
-- renew: a worker that lives keeps its leases.                                       sending → sending
-- KEYS[1]  base
-- ARGV     1 worker   2 lease ms   then pairs of id, fence
-- Result   the ids whose lease is lost

local lost = {}
for i = 3, #ARGV, 2 do
    local held = redis.call('HMGET', job_key(ARGV[i]), 'state', 'fence', 'worker')
    if held[1] == 'sending' and held[2] == ARGV[i + 1] and held[3] == ARGV[1] then
        redis.call('ZADD', LEASES, 'XX', stamp(now + tonumber(ARGV[2]) * 1000), ARGV[i])
    else
        lost[#lost + 1] = ARGV[i]
    end
end
return lost
