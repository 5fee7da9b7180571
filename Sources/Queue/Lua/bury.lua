#!lua flags=allow-oom
-- bury: a job becomes a dead letter.                                                  sending → dead
-- KEYS[1]  base
-- ARGV     1 id   2 fence   3 how the send ended: unclear | answered | unsent   4 reason   5 result   6 http status
--          7 error code   8 error name   9 hint
-- Result   dead | stale
-- needs: attempts down letters suspects

local job = load_job(ARGV[1])
if not job then return redis.error_reply('MISSING job ' .. ARGV[1]) end
if not owns(job, ARGV[2]) then return 'stale' end
record_attempt(job, ARGV[5], ARGV[6], ARGV[7], ARGV[8])
if ARGV[3] == 'unclear' then
    leave_open(job)
elseif ARGV[3] == 'unsent' then
    take_back_send(job)
end
end_lease(job)
if ARGV[5] == 'unclear' then note_unclear(job) elseif ARGV[3] ~= 'unsent' then note_answer() end
write_letter(job, ARGV[4], ARGV[7], ARGV[8], ARGV[9])
if ARGV[3] == 'answered' then note_suspect(job, ARGV[7]) end
return 'dead'
