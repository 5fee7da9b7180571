-- ground: what every move stands on. Put before each script by QueueScripts, with the other parts that the move needs
-- (`-- needs:`), each once and in the order of their needs. To make a function costs more than to call most of Redis'
-- commands, so a move gets no more than that.
--
-- KEYS[1] of every move is the app's base, "<prefix>:{<app>}": it is never a key itself, but lies in the app's
-- Cluster slot and names all the others. Times are microseconds of this server's clock (numbers, exact below 2^53),
-- printed with stamp(). Ids, amounts and milliseconds pass through as strings: tostring spoils more than 14 digits.

local base = KEYS[1]
local LANES = { 'urgent', 'normal', 'bulk' }
local GROUP = 'fleet'

local function lane_key(lane) return base .. ':jobs:' .. lane end
local function ready_key(lane) return base .. ':ready:' .. lane end
local function job_key(id) return base .. ':job:' .. id end
local function purchase_key(transaction) return base .. ':purchase:' .. transaction end
local function followers_key(line) return base .. ':line:' .. line end
local function refs_key(ref) return base .. ':refs:' .. string.sub(ref, 1, 3) end
local LATER = base .. ':later'
local LEASES = base .. ':leases'
local GATE = base .. ':gate:refunds'
local DEPARTURES = base .. ':gate:refunds:log'
local FOLLOWUPS = base .. ':followups'
local FOLLOWERS = base .. ':followers'
local HELD = base .. ':held'
local DEAD = base .. ':dead'
local LEDGER = base .. ':ledger'
local ALERTS = base .. ':alerts'
local INTAKE = base .. ':intake'
local STRAYS = base .. ':strays'

-- Every shared key is looked at before the first write: in a Cluster slot on the move this raises ASK or TRYAGAIN
-- here, while nothing has happened yet, and not in the middle of a move.
redis.call('EXISTS', LATER, LEASES, GATE, DEPARTURES, FOLLOWUPS, FOLLOWERS, HELD, DEAD, LEDGER, ALERTS,
    INTAKE, STRAYS)

local function stamp(number) return string.format('%d', number) end

local function read_clock()
    local time = redis.call('TIME')
    return tonumber(time[1]) * 1000000 + tonumber(time[2])
end
local now = read_clock()
local now_ms = stamp(math.floor(now / 1000))
