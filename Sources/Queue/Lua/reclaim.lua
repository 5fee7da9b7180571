#!lua flags=allow-oom
-- reclaim: a dead worker's jobs are owned again.                           sending → unclear | dead
-- KEYS[1]  base
-- ARGV     1 the dead worker   2 jobs a call at most
--          3 this server's time as the caller's steady clock carries it on, µs, or '', or `stepped`
-- Result   the number of jobs, and 1 if there are more
-- Whatever it may have sent is due again only once its request time-out has passed since departure.
-- needs: lost

local gate = redis.call('HMGET', GATE, 'behind', 'stepped')
note_step(ARGV[3], gate[1], tonumber(gate[2] or '0'))
local taken, more = 0, 0
for _, id in ipairs(redis.call('ZRANGE', LEASES, 0, -1)) do
    if redis.call('HGET', job_key(id), 'worker') == ARGV[1] then
        if taken == tonumber(ARGV[2]) then
            more = 1
            break
        end
        lose_lease(load_job(id))
        taken = taken + 1
    end
end
return { taken, more }
