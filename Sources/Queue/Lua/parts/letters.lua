-- letters: dead letters. Not a script of its own.
-- needs: jobs books lines claims

-- The job as its producer wrote it: the envelope with the request, less the reference id that we made.
local function job_text(job)
    local stored = redis.call('HMGET', job_key(job.id), 'envelope', 'body', 'given')
    if not stored[1] then return '' end
    local request = stored[2]
    if not stored[3] then
        local own = '"requestReferenceId":"' .. job.ref .. '"'
        local first, last = string.find(request, own, 1, true)
        if first then
            if string.sub(request, last + 1, last + 1) == ',' then last = last + 1 end
            request = string.sub(request, 1, first - 1) .. string.sub(request, last + 1)
            if string.sub(request, 1, 17) == '{"requestInfo":{}' then
                request = '{' .. string.sub(request, string.sub(request, 18, 18) == ',' and 19 or 18)
            end
        end
    end
    -- The envelope's own note of the producer's requestInfo; another field always follows it (keys are sorted).
    local envelope = string.gsub(stored[1], '"requestInfo":%b{},', '', 1)
    return string.sub(envelope, 1, -2) .. ',"request":' .. request .. '}'
end

-- Writes the letter of a job and takes the job off the road. A letter whose id is open keeps its line and its claims.
local function write_letter(job, reason, code, name, hint)
    local fields = { 'id', job.id, 'reason', reason, 'code', code or '', 'name', name or '', 'hint', hint or '',
        'job', job_text(job), 'attempts', redis.call('HGET', job_key(job.id), 'attempts') or '0',
        'at', now_ms, 'open', job.unclear > 0 and '1' or '0', 'requestReferenceId', job.ref or '' }
    local entry = redis.call('XADD', DEAD, '*', unpack(fields))
    set_job(job, 'state', 'dead', 'dead', entry)
    redis.call('HDEL', job_key(job.id), 'waitsFor')
    if job.unclear == 0 then
        give_lines_up(job)
        drop_claims(job)
    end
    book('dead', job.id, { 'transactionId', job.transaction, 'requestReferenceId', job.ref, 'reason', reason,
        'errorCode', code, 'errorName', name })
end

-- Writes a letter for what never became a job, or is one no more. Its id has slashes, so it can be no producer's.
local function write_loose_letter(place, reason, code, name, hint, conflicts, text)
    local id = 'letter/' .. place
    local fields = { 'id', id, 'reason', reason, 'code', code, 'name', name, 'hint', hint, 'job', text, 'attempts', '0',
        'at', now_ms, 'open', '0' }
    if conflicts ~= '' then
        fields[#fields + 1] = 'conflictsWith'
        fields[#fields + 1] = conflicts
    end
    local entry = redis.call('XADD', DEAD, '*', unpack(fields))
    redis.call('HSET', job_key(id), 'state', 'dead', 'dead', entry, 'letter', '1')
    book('dead', id, { 'reason', reason, 'errorName', name, 'conflictsWith', conflicts })
end

local function write_missing(place, id)
    write_loose_letter(place, 'jobMissing', '', '', 'Its place named a job that does not exist: either a producer wrote a '
        .. 'field `id` instead of `job`, or the record was deleted in Redis. Enqueue it again if it is still wanted.', '',
        cjson.encode({ id = id }))
end
