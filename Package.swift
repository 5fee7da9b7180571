// swift-tools-version: 6.3
import PackageDescription

/// What every Swift target of this package is compiled with.
let strict: [SwiftSetting] = [
    // A warning that may stay is a warning that nobody reads.
    .treatAllWarnings(as: .error),
    // `any` marks each place where a call is dispatched dynamically (SE-0335).
    .enableUpcomingFeature("ExistentialAny"),
    // A member is visible only where its module is imported, so imports tell the truth (SE-0444).
    .enableUpcomingFeature("MemberImportVisibility"),
    // An import is private unless a signature needs it; layers can't leak by accident (SE-0409).
    .enableUpcomingFeature("InternalImportsByDefault"),
    // An async function stays on its caller's executor: actors on the loop don't hop for nothing (SE-0461).
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// One target of ours; `uses` names what it may import, all of it from layers below.
func layer(_ name: String, uses: [Target.Dependency] = [], resources: [Resource] = []) -> Target {
    .target(name: name, dependencies: uses, resources: resources, swiftSettings: strict)
}

func tests(_ name: String, uses: [Target.Dependency]) -> Target {
    .testTarget(name: name + "Tests", dependencies: uses, swiftSettings: strict)
}

let package = Package(
    name: "kulanz",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "kulanz", targets: ["kulanz"]),
        // For the tests alone: preloaded into a redis-server whose clock a test sets.
        .library(name: "SteppedClock", type: .dynamic, targets: ["CSteppedClock"]),
    ],
    targets: [
        // Layer 0, C: module maps and typed shims for variadic calls. Nothing else sees a C header.
        .systemLibrary(name: "CHiredis", providers: [.apt(["libhiredis-dev"]), .brew(["hiredis"])]),
        .systemLibrary(
            name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
        .systemLibrary(
            name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        .systemLibrary(name: "CUv", pkgConfig: "libuv", providers: [.apt(["libuv1-dev"]), .brew(["libuv"])]),
        .systemLibrary(
            name: "CMicroHTTPD", pkgConfig: "libmicrohttpd",
            providers: [.apt(["libmicrohttpd-dev"]), .brew(["libmicrohttpd"])]),

        // Layer 1, ground.
        layer("Arguments"),
        layer("EventLoop", uses: ["CUv"]),
        layer("Telemetry"),
        layer("Measurement"),
        layer("Lifecycle", uses: ["EventLoop", "Telemetry"]),

        // Layer 2, wires.
        layer("Redis", uses: ["CHiredis", "COpenSSL", "EventLoop", "Lifecycle", "Telemetry"]),
        layer("HTTP", uses: ["CCurl", "CMicroHTTPD", "EventLoop"]),
        layer("Crypto", uses: ["COpenSSL"]),

        // Layer 3, the domain: no socket, no clock, no Redis.
        layer("Refunds", uses: ["Crypto"]),

        // Layer 4, engines.
        layer("Queue", uses: ["Crypto", "Redis", "Refunds", "Telemetry"], resources: [.embedInCode("Lua")]),
        layer("AppStore", uses: ["Crypto", "EventLoop", "HTTP", "Refunds", "Telemetry"]),

        // Layer 5, parts.
        layer("Configuration", uses: ["AppStore", "Arguments", "Crypto", "Queue", "Redis", "Refunds", "Telemetry"]),
        layer(
            "Fleet",
            uses: ["AppStore", "Arguments", "EventLoop", "HTTP", "Lifecycle", "Queue", "Redis", "Refunds", "Telemetry"]),
        layer("AppStoreSimulator", uses: ["Crypto", "EventLoop", "HTTP"]),

        // Layer 6, the program.
        .executableTarget(
            name: "kulanz",
            dependencies: [
                "AppStore", "AppStoreSimulator", "Arguments", "Configuration", "Crypto", "EventLoop", "Fleet", "HTTP",
                "Lifecycle", "Measurement",
                "Queue", "Redis", "Refunds", "Telemetry",
            ],
            resources: [.embedInCode("Bench/Peers/sidekiq.rb")],
            swiftSettings: strict),

        // Tests mirror Sources. TestSupport owns the worlds that tests live in: servers, folders, processes.
        .target(
            name: "TestSupport", dependencies: ["EventLoop", "Lifecycle", "Redis", "Telemetry"],
            path: "Tests/TestSupport",
            swiftSettings: strict),
        .target(name: "CSteppedClock", path: "Tests/CSteppedClock"),
        tests("Arguments", uses: ["Arguments"]),
        tests("EventLoop", uses: ["EventLoop"]),
        tests("Telemetry", uses: ["Telemetry"]),
        tests("Measurement", uses: ["Measurement"]),
        tests("Lifecycle", uses: ["EventLoop", "Lifecycle", "Telemetry", "TestSupport"]),
        tests("Redis", uses: ["COpenSSL", "EventLoop", "Lifecycle", "Redis", "Telemetry", "TestSupport"]),
        tests("HTTP", uses: ["EventLoop", "HTTP", "Lifecycle", "TestSupport"]),
        tests("Crypto", uses: ["COpenSSL", "Crypto", "TestSupport"]),
        tests("Refunds", uses: ["Crypto", "Refunds", "TestSupport"]),
        tests("Queue", uses: ["Crypto", "EventLoop", "Queue", "Redis", "Refunds", "TestSupport"]),
        tests("AppStore", uses: ["AppStore", "Crypto", "EventLoop", "HTTP", "Refunds", "Telemetry", "TestSupport"]),
        tests(
            "Configuration",
            uses: ["AppStore", "Configuration", "Crypto", "Queue", "Redis", "Refunds", "Telemetry", "TestSupport"]),
        tests("AppStoreSimulator", uses: ["AppStoreSimulator", "Crypto", "EventLoop", "HTTP", "TestSupport"]),
        tests(
            "Fleet",
            uses: [
                "AppStore", "AppStoreSimulator", "EventLoop", "Fleet", "HTTP", "Lifecycle", "Queue", "Redis", "Refunds",
                "Telemetry", "TestSupport",
            ]
        ),
        // Whole processes: the built command, a real Redis, the simulator over HTTP.
        tests(
            "Program",
            uses: ["AppStoreSimulator", "Crypto", "EventLoop", "Lifecycle", "Queue", "Redis", "Refunds", "TestSupport"]),
    ],
    swiftLanguageModes: [.v6]
)
