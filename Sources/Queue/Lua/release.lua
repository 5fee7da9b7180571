#!lua flags=allow-oom
-- release: unsent work goes to the front of its lane, its permit back to the gate.   sending → queued | unclear
-- KEYS[1]  base
-- ARGV     1 id   2 fence   3 why (late, draining, …)
-- Result   the state, or stale
-- Only for requests that surely never left: exactly this departure is taken out of the gate.
-- needs: lines attempts

local job = load_job(ARGV[1])
if not job then return redis.error_reply('MISSING job ' .. ARGV[1]) end
if not owns(job, ARGV[2]) then return 'stale' end
take_back_send(job)
redis.call('HINCRBY', job_key(job.id), 'started', -1)
redis.call('HINCRBY', job_key(job.id), 'released', 1)
book('unsent', job.id, { 'transactionId', job.transaction, 'requestReferenceId', job.ref, 'reason', ARGV[3] })
end_lease(job)
local state = resting_state(job, 'queued')
set_job(job, 'state', state)
to_ready(job)
if job.unclear == 0 then give_lines_up(job) end
ring()
return state
