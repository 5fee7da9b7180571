#!lua flags=allow-oom
-- pause: an app sends nothing until a person resumes it.             (app) running → paused; its job → queued | unclear
-- KEYS[1]  base
-- ARGV     1 reason   2 who   3 why, in words   then, if an answer led to it: 4 id   5 fence
--          6 the next round's requestReferenceId, or '' to repeat the same   7 http status   8 error code   9 error name
--          10 how the send ended: unclear | answered
-- Result   { 1 if this call paused it, the pause's number, the job's state or stale or '' }

local paused = redis.call('HGET', GATE, 'paused')
local number = redis.call('HGET', GATE, 'pauses') or '0'
if not paused then
    number = stamp(redis.call('HINCRBY', GATE, 'pauses', 1))
    redis.call('HSET', GATE, 'paused', ARGV[1], 'pausedAt', now_ms, 'pausedBy', ARGV[2], 'pausedWhy', ARGV[3])
    book('paused', ARGV[4] or '', { 'reason', ARGV[1], 'by', ARGV[2], 'why', ARGV[3], 'pause', number })
    redis.call('XADD', ALERTS, '*', 'kind', 'paused', 'reason', ARGV[1], 'why', ARGV[3], 'by', ARGV[2], 'pause', number,
        'at', now_ms)
end
local state = ''
if ARGV[4] then
    local job = load_job(ARGV[4])
    if not job or not owns(job, ARGV[5]) then
        state = 'stale'
    else
        record_attempt(job, 'refused', ARGV[7], ARGV[8], ARGV[9])
        redis.call('HINCRBY', job_key(job.id), 'attempts', -1)
        end_lease(job)
        if ARGV[10] == 'unclear' then leave_open(job) end
        if ARGV[6] ~= '' then next_round(job, ARGV[6]) end
        state = resting_state(job, 'queued')
        set_job(job, 'state', state)
        to_ready(job)
        if job.unclear == 0 then give_lines_up(job) end
    end
end
ring()
return { paused and 0 or 1, number, state }
