-- create: makes a job of validated parts. Not a script of its own.
-- needs: jobs claims
--
-- spec = { id, digest (32 bytes), envelope (less what has a field of its own), body (less its reference id), ref, given,
--          operation, transaction, line, lane, repeats, notBefore, by }
-- Returns 'enqueued' | 'duplicate' | 'conflict' | 'alreadyRequested' | 'referenceUsed', and the id or state it is about.

local SPEC = { 'id', 'digest', 'envelope', 'body', 'ref', 'given', 'operation', 'transaction', 'line', 'lane', 'repeats',
    'notBefore', 'by' }

local function read_spec(first)
    local spec = {}
    for i, name in ipairs(SPEC) do spec[name] = ARGV[first + i - 1] end
    spec.claims = claims_in(spec.operation, spec.body)
    return spec, first + #SPEC
end

-- What stands in the way of a job, without a write.
local function verdict(spec)
    local there = redis.call('HMGET', job_key(spec.id), 'digest', 'state')
    if there[2] then
        if there[1] == spec.digest then return 'duplicate', there[2] end
        return 'conflict', spec.id
    end
    if spec.repeats ~= '1' then
        local holder = claim_against(spec.transaction, spec.claims, spec.id)
        if holder then return 'alreadyRequested', holder end
    end
    if spec.given == '1' then
        local user = redis.call('HGET', refs_key(spec.ref), spec.ref)
        if user and user ~= spec.id then return 'referenceUsed', user end
    end
    return 'enqueued', 'queued'
end

-- The fields that not every job has; '' for those that this one hasn't.
local function choices(spec)
    return {
        envelope = spec.envelope, by = spec.by,
        operation = spec.operation ~= USUAL_OPERATION and spec.operation or '',
        lane = spec.lane ~= USUAL_LANE and spec.lane or '',
        line = spec.line ~= spec.transaction and spec.line or '',
        repeats = spec.repeats == '1' and '1' or '',
        given = spec.given == '1' and '1' or '',
    }
end

-- at: microseconds that order it among its lane. Returns the job, which still has to be placed.
local function create(spec, at)
    local job = { id = spec.id, lane = spec.lane, transaction = spec.transaction, line = spec.line, at = stamp(at),
        unclear = 0, sends = 0, ref = spec.ref }
    local fields = { 'state', 'queued', 'digest', spec.digest, 'body', spec.body, 'ref', spec.ref,
        'transaction', spec.transaction, 'at', job.at }
    for name, value in pairs(choices(spec)) do
        if value ~= '' then fields[#fields + 1] = name; fields[#fields + 1] = value end
    end
    redis.call('HSET', job_key(spec.id), unpack(fields))
    if spec.given == '1' then redis.call('HSET', refs_key(spec.ref), spec.ref, spec.id) end
    take_claims(spec.transaction, spec.claims, spec.id)
    if spec.line ~= spec.transaction then redis.call('HSET', purchase_key(spec.line), 'job:' .. spec.id, '') end
    return job
end

local function due_later(spec)
    local before = tonumber(spec.notBefore)
    if before and before * 1000 > now then return stamp(before * 1000) end
    return nil
end
