#!lua flags=allow-oom
-- settle: Apple answered 200.                              sending, unclear, dead → accepted | done; held → accepted
-- KEYS[1]  base
-- ARGV     1 id   2 fence   3 requestReferenceId that was answered   4 http status   5 signedTransactionInfo
--          6 signedRenewalInfo   7 retention ms of a job that is done   8 departure of the request that was answered, µs
--          then for each header that stands in them by its name: the name, and the header, or '' if it is stored already
-- Result   accepted | done | already | foreign | headers
-- Evidence, so the fence decides nothing: a 200 that comes after the lease was lost is recorded all the same, and
-- whoever is about to repeat the request no longer does. `foreign`: the job has gone on to another id, which can't be
-- while this one was open, or a person has closed its letter; it is booked and changes nothing more. If it answers an
-- earlier send, the last one may still be under way: the purchase's next job waits that out. `headers`: one that should
-- be stored isn't; nothing was moved, and the caller sends them all.
-- needs: jobs lines claims attempts repeats down

local HEADERS = base .. ':headers'
for i = 9, #ARGV, 2 do
    if ARGV[i + 1] ~= '' then
        redis.call('HSETNX', HEADERS, ARGV[i], ARGV[i + 1])
    elseif redis.call('HEXISTS', HEADERS, ARGV[i]) == 0 then
        return 'headers'
    end
end

local job = load_job(ARGV[1], { 'state', 'ref', 'operation', 'transaction', 'line', 'lane', 'fence', 'started',
    'departed', 'timeout', 'unclear', 'dead' })
if not job then return redis.error_reply('MISSING job ' .. ARGV[1]) end
if job.ref ~= ARGV[3] or job.state == 'discarded' then
    book('answer', job.id, { 'transactionId', job.transaction, 'requestReferenceId', ARGV[3], 'result', 'lateAnswer',
        'httpStatus', ARGV[4] })
    return 'foreign'
end
local OPEN = { sending = true, unclear = true, queued = true, waiting = true, held = true, dead = true }
if not OPEN[job.state] then return 'already' end

-- Off whatever place it is in: exactly one of these holds it, and an unread stream reference is dropped by lease.
local state = job.operation == 'cancel' and 'done' or 'accepted'
local log = log_with(job, 'accepted', ARGV[4], '', '')
if job.state == 'sending' then
    redis.call('ZREM', LEASES, job.id)
    redis.call('HDEL', job_key(job.id), 'worker')
else
    redis.call('ZREM', ready_key(job.lane), job.id)
    redis.call('ZREM', LATER, job.id)
    redis.call('ZREM', FOLLOWUPS, job.id)
    redis.call('SREM', HELD, job.id)
    leave_lines(job)
end
if job.dead then
    redis.call('XDEL', DEAD, job.dead)
    redis.call('HDEL', job_key(job.id), 'dead')
end
-- The fence rises, so whoever still holds it can move it no more.
set_job(job, 'state', state, 'ended', now_ms, 'unclear', '0', 'signedTransaction', ARGV[5], 'log', log,
    'fence', stamp(tonumber(job.fence or '0') + 1))
if ARGV[6] ~= '' then set_job(job, 'signedRenewal', ARGV[6]) end
job.unclear = 0
note_answer('200')
give_lines_up(job, job.departed ~= ARGV[8] and repeat_due(job) or nil)
if state == 'done' then
    drop_claims(job)
    redis.call('PEXPIRE', job_key(job.id), ARGV[7])
else
    redis.call('ZADD', FOLLOWUPS, stamp(now + 3600 * 1000000), job.id)
end
return state
