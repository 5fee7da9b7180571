#!lua flags=allow-oom
-- pause: an app sends nothing until a person resumes it; its job waits.   sending → queued | unclear
-- KEYS[1]  base
-- ARGV     1 reason   2 who   3 why, in words   then, if an answer led to it: 4 id   5 fence
--          6 the next round's requestReferenceId, or '' to repeat the same   7 http status   8 error code   9 error name
--          10 how the send ended: unclear | answered   11 the worker, if another one that lives has to see the same
--          before the app pauses, or ''
-- Result   { 1 if this call paused it, 0 if it was paused, 2 if a second worker has to see it first; the pause's
--          number; the job's state or stale or '' }
-- needs: lines attempts alarms down

-- A worker alone may be at fault (its clock, its network); two that see the same are not.
local SECOND_WITHIN_US = 300 * 1000000
local verdict, number = 2, '0'
local first = redis.call('HMGET', GATE, 'refusedBy', 'refusedAt')
local is_second = first[1] and first[1] ~= ARGV[11] and tonumber(first[2]) + SECOND_WITHIN_US > now
if (ARGV[11] or '') == '' or is_second or redis.call('HEXISTS', GATE, 'paused') == 1 then
    local is_new
    is_new, number = pause_app(ARGV[1], ARGV[2], ARGV[3], ARGV[4])
    verdict = is_new and 1 or 0
else
    redis.call('HSET', GATE, 'refusedBy', ARGV[11], 'refusedAt', stamp(now))
end
local state = ''
if ARGV[4] then
    -- Whatever Apple refused, it is up.
    note_answer(ARGV[7])
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
return { verdict, number, state }
