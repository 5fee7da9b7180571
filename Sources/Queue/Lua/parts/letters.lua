-- letters: dead letters. Not a script of its own.
-- needs: jobs books lines claims

-- The job as its producer wrote it: what stands in fields of its own, the rest of the envelope, and the request. Its
-- reference id is in it only if it is the producer's; the envelope notes how that was written, and whether there was a
-- requestInfo at all.
local function job_text(job)
    local stored = redis.call('HMGET', job_key(job.id), 'envelope', 'body', 'given')
    local envelope, request = stored[1] or '{}', stored[2]
    if not request then return '' end
    local info = string.match(envelope, '"requestInfo":(%b{})')
    local rest = string.sub(request, #BODY_HEAD + 1)
    if not info then
        request = '{' .. string.gsub(rest, '^},?', '')
    elseif stored[3] then
        request = '{"requestInfo":{"requestReferenceId":' .. string.match(info, ':(".*")') .. rest
    else
        request = '{"requestInfo":{' .. string.gsub(rest, '^,', '')
    end
    local members = {}
    for _, member in ipairs({ { 'app', string.match(base, '{([^{}]*)}$') }, { 'id', job.id },
        { 'operation', job.operation }, { 'priority', job.lane }, { 'requestedBy', job.by },
        { 'transactionId', job.transaction } }) do
        if member[2] then members[#members + 1] = '"' .. member[1] .. '":' .. cjson.encode(member[2]) end
    end
    local others = string.gsub(string.sub(envelope, 2, -2), '"requestInfo":%b{},?', '', 1)
    others = string.gsub(others, ',$', '')
    if others ~= '' then members[#members + 1] = others end
    return '{' .. table.concat(members, ',') .. ',"request":' .. request .. '}'
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
