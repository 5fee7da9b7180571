#!lua flags=allow-oom
-- hold: nothing more is sent until an outcome is known.                     sending → held | unclear
-- KEYS[1]  base
-- ARGV     1 id   2 fence   3 held | unclear   4 how the send ended: unclear | answered   5 look again in ms
--          6 result   7 http status   8 error code   9 error name   10 the open question, in words
-- Result   the state, or stale
-- held: Apple has an open refund for the purchase. unclear: a request of ours may have been accepted, and only a
-- look-up or a notification can tell; the id stays open and the purchase's line with it.
-- needs: jobs lines attempts down

local job = load_job(ARGV[1])
if not job then return redis.error_reply('MISSING job ' .. ARGV[1]) end
if not owns(job, ARGV[2]) then return 'stale' end
record_attempt(job, ARGV[6], ARGV[7], ARGV[8], ARGV[9])
if ARGV[3] == 'unclear' and job.unclear == 0 or ARGV[4] == 'unclear' then
    leave_open(job)
end
note_answer()
end_lease(job)
set_job(job, 'state', ARGV[3], 'question', ARGV[10])
if ARGV[3] == 'held' then redis.call('SADD', HELD, job.id) end
redis.call('ZADD', FOLLOWUPS, stamp(now + tonumber(ARGV[5]) * 1000), job.id)
if job.unclear == 0 then give_lines_up(job) end
book('question', job.id, { 'transactionId', job.transaction, 'requestReferenceId', job.ref, 'reason', ARGV[10] })
return ARGV[3]
