-- attempts: how a send ended. Not a script of its own.
-- needs: jobs lines log

local function record_attempt(job, ...) set_job(job, 'log', log_with(job, ...)) end

-- Whether this worker still owns the job. A lost lease bears a higher fence. The lines that its move may give up, and the
-- front that it may go to, are looked at before anything is written: once the fence has risen, whoever tries again is
-- told that the job is gone.
local function owns(job, fence)
    local is_owner = job.state == 'sending' and job.fence == fence
    if is_owner then
        redis.call('ZCARD', ready_key(job.lane))
        look_at_lines(job)
    end
    return is_owner
end

-- The lease ends: its fence is void, so whoever held it can move the job no more.
local function end_lease(job)
    redis.call('ZREM', LEASES, job.id)
    redis.call('HDEL', job_key(job.id), 'worker')
    redis.call('HINCRBY', job_key(job.id), 'fence', 1)
end

-- Replaces a closed id by the next round's. Refuses while the id is open: a new one there could refund twice.
local function next_round(job, ref)
    if job.unclear > 0 then return false end
    set_job(job, 'ref', ref, 'sends', '0', 'round', stamp(tonumber(job.round or '0') + 1))
    redis.call('HDEL', job_key(job.id), 'given')  -- a producer's own id serves the first round only
    job.ref = ref
    job.sends = 0
    return true
end

-- The send ended without an answer that closes its id: from now on only the same id and bytes may go.
local function leave_open(job)
    job.unclear = job.unclear + 1
    set_job(job, 'unclear', stamp(job.unclear))
end

-- The request surely never left: neither its permit nor its attempt was used.
local function take_back_send(job)
    redis.call('LREM', DEPARTURES, 1, job.departed)
    redis.call('HINCRBY', job_key(job.id), 'attempts', -1)
    redis.call('HINCRBY', job_key(job.id), 'sends', -1)
    job.sends = job.sends - 1
end

-- Where a job stands that isn't being sent: unclear while its id is open.
local function resting_state(job, fallback)
    if job.unclear > 0 then return 'unclear' end
    return fallback
end
