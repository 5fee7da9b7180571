-- create: makes a job of validated parts. Not a script of its own.
-- needs: jobs claims
--
-- spec = { id, digest (32 bytes), envelope (less what has a field of its own), body (less its reference id), ref, given,
--          operation, transaction, line, lane, repeats, notBefore, by, claims (their number and each, see claims.lua) }
-- Returns 'enqueued' | 'duplicate' | 'conflict' | 'alreadyRequested' | 'referenceUsed', and the id or state it is about.

local SPEC_WORDS = 14

local function read_spec(first)
    local id, digest, envelope, body, ref, given, operation, transaction, line, lane, repeats, not_before, by, claims =
        unpack(ARGV, first, first + SPEC_WORDS - 1)
    local rest = first + SPEC_WORDS + tonumber(claims)
    return { id = id, digest = digest, envelope = envelope, body = body, ref = ref, given = given, operation = operation,
        transaction = transaction, line = line, lane = lane, repeats = repeats, notBefore = not_before, by = by,
        claims = { unpack(ARGV, first + SPEC_WORDS, rest - 1) }, untouched = false }, rest
end

-- What stands in the way of a job, without a write. It looks at all that `create` writes.
local function verdict(spec)
    if spec.given ~= '1' and redis.call('EXISTS', job_key(spec.id), purchase_key(spec.transaction),
        purchase_key(spec.line)) == 0 then
        spec.untouched = true
        return 'enqueued', 'queued'
    end
    local there = redis.call('HMGET', job_key(spec.id), 'digest', 'state')
    if there[2] then
        if there[1] == spec.digest then return 'duplicate', there[2] end
        return 'conflict', spec.id
    end
    if spec.repeats ~= '1' then
        local holder, untouched = claim_against(spec.transaction, spec.claims, spec.id)
        if holder then return 'alreadyRequested', holder end
        spec.untouched = untouched
    else
        redis.call('HEXISTS', purchase_key(spec.transaction), 'owner')
    end
    if spec.line ~= spec.transaction then redis.call('HEXISTS', purchase_key(spec.line), 'owner') end
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
    -- With room for what most jobs have: a table that grows is laid out anew.
    local fields = { 'state', 'queued', 'digest', spec.digest, 'body', spec.body, 'ref', spec.ref,
        'transaction', spec.transaction, 'at', job.at, '', '', '', '' }
    local last = 12
    for name, value in pairs(choices(spec)) do
        if value ~= '' then
            fields[last + 1], fields[last + 2] = name, value
            last = last + 2
        end
    end
    redis.call('HSET', job_key(spec.id), unpack(fields, 1, last))
    if spec.given == '1' then redis.call('HSET', refs_key(spec.ref), spec.ref, spec.id) end
    take_claims(spec.transaction, spec.claims, spec.id, spec.untouched)
    if spec.line ~= spec.transaction then redis.call('HSET', purchase_key(spec.line), 'job:' .. spec.id, '') end
    return job
end

local function due_later(spec)
    local before = tonumber(spec.notBefore)
    if before and before * 1000 > now then return stamp(before * 1000) end
    return nil
end
