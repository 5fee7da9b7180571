#!lua flags=allow-oom
-- block: Apple answered 429; the app waits, the job keeps its place and its attempts.   sending → queued | unclear
-- KEYS[1]  base
-- ARGV     1 id   2 fence   3 wait ms   4 the next round's requestReferenceId, or '' to repeat the same
--          5 http status   6 error code   7 error name   8 how the send ended: unclear | answered
-- Result   { state or stale, blocked until µs }
-- The block counts even if the lease was lost: it is about the app. The later of two blocks wins.
-- needs: lines attempts alarms down

local id = ARGV[1]
local job = load_job(id)
local until_us = now + tonumber(ARGV[3]) * 1000
local standing = redis.call('HGET', GATE, 'blockedUntil')
if not standing or tonumber(standing) <= now then
    -- The gate kept its rate, or this request would not have left: somebody else uses the quota, or Apple lowered it.
    alarm('rateLimited', { 'until', stamp(math.floor(until_us / 1000)) })
end
if not standing or tonumber(standing) < until_us then
    redis.call('HSET', GATE, 'blockedUntil', stamp(until_us))
    standing = stamp(until_us)
end
book('blocked', id, { 'until', stamp(math.floor(tonumber(standing) / 1000)) })
note_answer()
if not job or not owns(job, ARGV[2]) then return { 'stale', standing } end
record_attempt(job, 'rateLimited', ARGV[5], ARGV[6], ARGV[7])
redis.call('HINCRBY', job_key(id), 'attempts', -1)
end_lease(job)
if ARGV[8] == 'unclear' then leave_open(job) end
if ARGV[4] ~= '' then next_round(job, ARGV[4]) end
local state = resting_state(job, 'queued')
set_job(job, 'state', state)
to_ready(job)
if job.unclear == 0 then give_lines_up(job) end
return { state, standing }
