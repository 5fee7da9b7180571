#!lua
-- adopt: raw entries that a worker has validated become jobs or dead letters.   (nothing) → queued | dead
-- KEYS[1]  base
-- ARGV[1]  number of entries; then for each: lane, entry id, 'job' + one spec (see create.lua),
--          or 'reference' + its id (one that `lease` read but could not finish),
--          or 'letter' + reason, code, name, hint, conflictsWith, job (JSON text; {"raw": base64} if unreadable)
-- Result   a verdict for each: adopted | duplicate | letter | gone (another worker was faster)
-- An entry moves together with its acknowledgement; permits play no part. Refused when Redis is full.
-- needs: create lanes
-- seldom: letters -> write_loose_letter write_missing

-- A lane's entry is known by both: two lanes may have entries of one id.
local function letter_of(lane, entry, ...)
    local write_loose_letter = seldom()
    write_loose_letter(lane .. '/' .. entry, ...)
end

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

local results = {}
local fronts = { urgent = {}, normal = {}, bulk = {} }
local removed = { urgent = {}, normal = {}, bulk = {} }
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
            local job = create(spec, math.min(now, tonumber(string.match(entry, '^%d+')) * 1000))
            local due = due_later(spec)
            if due then
                redis.call('ZADD', LATER, due, spec.id)
            else
                table.insert(fronts[job.lane], job)
            end
            table.insert(removed[lane], entry)
            results[#results + 1] = 'adopted'
        elseif what == 'duplicate' then
            table.insert(removed[lane], entry)
            results[#results + 1] = 'duplicate'
        else
            letter_of(lane, entry, REFUSED[what][1], '', '', REFUSED[what][2], about, text)
            table.insert(removed[lane], entry)
            results[#results + 1] = 'letter'
        end
    elseif kind == 'reference' then
        local id = ARGV[position]
        position = position + 1
        local job = load_job(id)
        if redis.call('XACK', lane_key(lane), GROUP, entry) == 0 then
            results[#results + 1] = 'gone'
        elseif not job then
            local _, write_missing = seldom()
            write_missing(lane .. '/' .. entry, id)
            table.insert(removed[lane], entry)
            results[#results + 1] = 'letter'
        else
            if waits_nowhere_else(job) then to_ready(job) end
            if job.ghost then redis.call('HDEL', job_key(id), 'ghost') end
            table.insert(removed[lane], entry)
            results[#results + 1] = 'adopted'
        end
    else
        if redis.call('XACK', lane_key(lane), GROUP, entry) == 0 then
            results[#results + 1] = 'gone'
        else
            letter_of(lane, entry, ARGV[position], ARGV[position + 1], ARGV[position + 2], ARGV[position + 3],
                ARGV[position + 4], ARGV[position + 5])
            table.insert(removed[lane], entry)
            results[#results + 1] = 'letter'
        end
        position = position + 6
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
return results
