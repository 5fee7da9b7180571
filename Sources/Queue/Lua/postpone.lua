#!lua flags=allow-oom
-- postpone: a retry is due later.                                        sending → waiting | unclear
-- KEYS[1]  base
-- ARGV     1 id   2 fence   3 wait ms   4 how the send ended: unclear | answered | unsent
--          5 the next round's requestReferenceId, or '' to repeat the same   6 result   7 http status   8 error code
--          9 error name
-- Result   the state, or stale | open
-- `open` refuses a new id, without a write, while some send of this one ended without an answer.
-- needs: jobs lines attempts down

local job = load_job(ARGV[1])
if not job then return redis.error_reply('MISSING job ' .. ARGV[1]) end
if not owns(job, ARGV[2]) then return 'stale' end
local ending, next_ref = ARGV[4], ARGV[5]
if next_ref ~= '' and (job.unclear > 0 or ending == 'unclear') then return 'open' end

record_attempt(job, ARGV[6], ARGV[7], ARGV[8], ARGV[9])
if ending == 'unclear' then
    leave_open(job)
elseif ending == 'unsent' then
    take_back_send(job)
end
if ARGV[6] == 'unclear' then note_unclear(job) elseif ending ~= 'unsent' then note_answer(ARGV[7]) end
end_lease(job)
if next_ref ~= '' then next_round(job, next_ref) end
local state = resting_state(job, 'waiting')
set_job(job, 'state', state)
redis.call('ZADD', LATER, stamp(now + tonumber(ARGV[3]) * 1000), job.id)
if job.unclear == 0 then give_lines_up(job) end
ring()
return state
