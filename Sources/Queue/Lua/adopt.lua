#!lua
-- adopt: raw entries that a worker has validated become jobs or dead letters.     raw → queued | dead
-- KEYS[1]  base
-- ARGV[1]  number of entries; then for each: lane, entry id, 'job' + one spec (see create.lua),
--          or 'reference' + its id (one that `lease` read but could not finish),
--          or 'letter' + reason, code, name, hint, conflictsWith, job (JSON text; {"raw": base64} if unreadable)
-- Result   a verdict for each: adopted | duplicate | letter | gone (another worker was faster)
-- needs: create
-- An entry moves together with its acknowledgement; permits play no part. Refused when Redis is full.

local function letter_of(entry, reason, code, name, hint, conflicts, text)
    local id = 'letter-' .. entry
    local fields = { 'id', id, 'reason', reason, 'code', code, 'name', name, 'hint', hint, 'job', text, 'attempts', '0',
        'at', now_ms, 'open', '0' }
    if conflicts ~= '' then
        fields[#fields + 1] = 'conflictsWith'
        fields[#fields + 1] = conflicts
    end
    local place = redis.call('XADD', DEAD, '*', unpack(fields))
    redis.call('HSET', job_key(id), 'state', 'dead', 'dead', place, 'letter', '1')
    book('dead', id, { 'reason', reason, 'errorName', name, 'conflictsWith', conflicts })
end

local REFUSED = {
    conflict = { 'conflict', 'Another job has this id with other content. If both are meant, send this one under an id of its own.' },
    alreadyRequested = { 'alreadyRequested', 'That job has already asked for this item. Look at it with `kulanz jobs show`; '
        .. 'to ask again on purpose set allowRepeat.' },
    referenceUsed = { 'referenceUsed', 'That job has used this requestReferenceId. Leave the field out: the fleet makes one.' },
}

local results = {}
local position = 2
for _ = 1, tonumber(ARGV[1]) do
    local lane, entry, kind = ARGV[position], ARGV[position + 1], ARGV[position + 2]
    position = position + 3
    if kind == 'job' then
        local spec
        local text
        spec, position = read_spec(position)
        text, position = ARGV[position], position + 1
        local what, about = verdict(spec)
        if redis.call('XACK', lane_key(lane), GROUP, entry) == 0 then
            results[#results + 1] = 'gone'
        elseif what == 'enqueued' then
            local job = create(spec, tonumber(string.match(entry, '^%d+')) * 1000)
            local due = due_later(spec)
            if due then redis.call('ZADD', LATER, due, spec.id) else to_ready(job) end
            redis.call('XDEL', lane_key(lane), entry)
            results[#results + 1] = 'adopted'
        elseif what == 'duplicate' then
            redis.call('XDEL', lane_key(lane), entry)
            results[#results + 1] = 'duplicate'
        else
            letter_of(entry, REFUSED[what][1], '', '', REFUSED[what][2], about, text)
            redis.call('XDEL', lane_key(lane), entry)
            results[#results + 1] = 'letter'
        end
    elseif kind == 'reference' then
        local id = ARGV[position]
        position = position + 1
        local job = load_job(id)
        if redis.call('XACK', lane_key(lane), GROUP, entry) == 0 then
            results[#results + 1] = 'gone'
        elseif not job then
            letter_of(entry, 'jobMissing', '', '', 'Its lane named a job that does not exist: either a producer wrote a '
                .. 'field `id` instead of `job`, or the record was deleted in Redis. Enqueue it again if it is still wanted.',
                '', cjson.encode({ id = id }))
            redis.call('XDEL', lane_key(lane), entry)
            results[#results + 1] = 'letter'
        else
            if job.state == 'queued' and not redis.call('ZSCORE', followers_key(job.line), id) then to_ready(job) end
            redis.call('XDEL', lane_key(lane), entry)
            results[#results + 1] = 'adopted'
        end
    else
        if redis.call('XACK', lane_key(lane), GROUP, entry) == 0 then
            results[#results + 1] = 'gone'
        else
            letter_of(entry, ARGV[position], ARGV[position + 1], ARGV[position + 2], ARGV[position + 3],
                ARGV[position + 4], ARGV[position + 5])
            redis.call('XDEL', lane_key(lane), entry)
            results[#results + 1] = 'letter'
        end
        position = position + 6
    end
end
ring()
return results
