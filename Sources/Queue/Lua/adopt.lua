#!lua
-- adopt: raw entries that a worker has validated become jobs or dead letters.   (nothing) → queued | dead
-- KEYS[1]  base
-- ARGV[1]  number of entries; then for each: lane, entry id, 'job' + one spec (see create.lua),
--          or 'reference' + its id (one that `lease` read but could not finish),
--          or 'letter' + reason, code, name, hint, conflictsWith, job (JSON text; {"raw": base64} if unreadable)
-- Result   a verdict for each: adopted | duplicate | letter | gone (another worker was faster)
-- An entry moves together with its acknowledgement; permits play no part. Refused when Redis is full. What ails one
-- keeps no other back: it stays pending, to be handed out again, and the call ends with its error when the others are in.
-- needs: create lanes
-- seldom: letters -> write_loose_letter write_missing

local REFUSED = {
    conflict = { 'conflict', 'Another job has this id with other content. If both are meant, send this one under an id of its own.' },
    alreadyRequested = { 'alreadyRequested', 'That job has already asked for this item. Look at it with `kulanz jobs show`; '
        .. 'to ask again on purpose set allowRepeat.' },
    referenceUsed = { 'referenceIdUsed', 'That job has used this requestReferenceId. Leave the field out: the fleet makes one.' },
}

-- Whether a job that can be sent has no place but the entry that names it.
local function waits_nowhere_else(job)
    if job.state ~= 'queued' and job.state ~= 'waiting' and job.state ~= 'unclear' then return false end
    for _, set in ipairs({ ready_key(job.lane), LATER, FOLLOWERS, FOLLOWUPS }) do
        if redis.call('ZSCORE', set, job.id) then return false end
    end
    return true
end

-- Written last, so looked at first.
for _, lane in ipairs(LANES) do redis.call('ZCARD', ready_key(lane)) end
local fronts = { urgent = {}, normal = {}, bulk = {} }
local function acknowledge(lane, entry) return redis.call('XACK', lane_key(lane), GROUP, entry) > 0 end

-- A lane's entry is known by both: two lanes may have entries of one id.
local function letter_of(lane, entry, ...)
    local place = lane .. '/' .. entry
    redis.call('HEXISTS', job_key('letter/' .. place), 'state')
    if not acknowledge(lane, entry) then return 'gone' end
    local write_loose_letter = seldom()
    write_loose_letter(place, ...)
    return 'letter'
end

-- Each looks at all that it is to write before the entry is acknowledged: what ails that raises while nothing happened.
local function adopt_job(lane, entry, spec, text)
    local what, about = verdict(spec)
    if what == 'enqueued' then
        if not acknowledge(lane, entry) then return 'gone' end
        local job = create(spec, math.min(now, tonumber(string.match(entry, '^%d+')) * 1000))
        local due = due_later(spec)
        if due then
            redis.call('ZADD', LATER, due, spec.id)
        else
            table.insert(fronts[job.lane], job)
        end
        return 'adopted'
    elseif what == 'duplicate' then
        return acknowledge(lane, entry) and 'duplicate' or 'gone'
    end
    return letter_of(lane, entry, REFUSED[what][1], '', '', REFUSED[what][2], about, text)
end

local function adopt_reference(lane, entry, id)
    local job = load_job(id)
    if not acknowledge(lane, entry) then return 'gone' end
    if not job then
        local _, write_missing = seldom()
        write_missing(lane .. '/' .. entry, id)
        return 'letter'
    end
    if waits_nowhere_else(job) then to_ready(job) end
    if job.ghost then redis.call('HDEL', job_key(id), 'ghost') end
    return 'adopted'
end

local results, ailment = {}, nil
local removed = { urgent = {}, normal = {}, bulk = {} }
local position = 2
for i = 1, tonumber(ARGV[1]) do
    local lane, entry, kind = ARGV[position], ARGV[position + 1], ARGV[position + 2]
    position = position + 3
    local is_sound, result
    if kind == 'job' then
        local spec
        spec, position = read_spec(position)
        is_sound, result = pcall(adopt_job, lane, entry, spec, ARGV[position])
        position = position + 1
    elseif kind == 'reference' then
        is_sound, result = pcall(adopt_reference, lane, entry, ARGV[position])
        position = position + 1
    else
        is_sound, result = pcall(letter_of, lane, entry, unpack(ARGV, position, position + 5))
        position = position + 6
    end
    if not is_sound then
        ailment = result
    else
        results[i] = result
        if result ~= 'gone' then table.insert(removed[lane], entry) end
    end
end
for _, lane in ipairs(LANES) do
    -- Youngest first, since Redis looks for each one's place in a short set from the oldest on.
    local front = {}
    for i = #fronts[lane], 1, -1 do
        local job = fronts[lane][i]
        front[#front + 1] = job.at
        front[#front + 1] = job.id
    end
    if #front > 0 then redis.call('ZADD', ready_key(lane), unpack(front)) end
    remove_entries(lane, removed[lane])
end
ring()
if ailment then error(ailment) end
return results
