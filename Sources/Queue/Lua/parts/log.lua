-- log: the attempts in a job's record. Not a script of its own.
-- needs: jobs books

-- The job's record with the attempt that just ended, which is booked: one line each, tab separated, read by
-- JobRecord.swift.
local function log_with(job, result, status, code, name)
    -- Before the answer to a job's first start there is none.
    local is_first = job.state == 'sending' and job.started == '1'
    local log = not is_first and redis.call('HGET', job_key(job.id), 'log')
    local line = table.concat({ job.started or '', job.ref, job.departed and stamp(math.floor(tonumber(job.departed) / 1000)) or '',
        now_ms, result, status or '', code or '', name or '' }, '\t')
    book('answer', job.id, { 'transactionId', job.transaction, 'requestReferenceId', job.ref, 'result', result,
        'httpStatus', status, 'errorCode', code, 'errorName', name })
    return log and (log .. '\n' .. line) or line
end
