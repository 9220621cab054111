// swift-tools-version: 6.2

import PackageDescription

/// What every Swift target is held to. No `unsafeFlags`: whoever depends on the package should not have to trust any.
let language: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .treatAllWarnings(as: .error),
]

let strict = language + [.strictMemorySafety()]

let package = Package(
  name: "mediator",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "Mediator", targets: ["Mediator"]),
    .library(name: "MediatorBridge", targets: ["MediatorBridge"]),
    .library(name: "MediatorTestKit", targets: ["MediatorTestKit"]),
    .executable(name: "lifecycled", targets: ["lifecycled"]),
  ],
  targets: [
    .systemLibrary(name: "CLibsystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
    .target(name: "CMediatorLinux", cSettings: [.define("_GNU_SOURCE")]),
    .target(name: "Mediator", swiftSettings: strict),
    .target(name: "MediatorLinux", dependencies: ["CLibsystemd", "CMediatorLinux"], swiftSettings: strict),
    .target(name: "MediatorBridge", dependencies: ["Mediator", "MediatorLinux"], swiftSettings: strict),
    .executableTarget(
      name: "lifecycled", dependencies: ["MediatorBridge", "Mediator", "MediatorLinux"], swiftSettings: strict),
    .target(
      name: "MediatorTestKit",
      dependencies: ["Mediator", .target(name: "MediatorLinux", condition: .when(platforms: [.linux]))],
      swiftSettings: strict),
    .executableTarget(
      name: "EchoServer", dependencies: ["MediatorBridge", "Mediator"], path: "Examples/EchoServer",
      swiftSettings: language),
    .executableTarget(
      name: "HelloDaemon", dependencies: ["MediatorBridge", "Mediator"], path: "Examples/HelloDaemon",
      exclude: ["hello.service"], swiftSettings: language),
    .target(
      name: "Snippets", dependencies: ["MediatorBridge", "Mediator"], path: "Examples/Snippets", swiftSettings: language
    ),

    .target(name: "CAllocationCount", path: "Tests/FanOut/CAllocationCount"),
    .executableTarget(
      name: "FanOut", dependencies: ["CAllocationCount", "Mediator"], path: "Tests/FanOut/FanOut",
      swiftSettings: language),

    .target(name: "LogindMock", dependencies: ["MediatorLinux"], path: "Tests/LogindMock", swiftSettings: language),

    .testTarget(name: "MediatorTests", dependencies: ["Mediator", "MediatorTestKit"], swiftSettings: language),
    .testTarget(name: "MediatorLinuxTests", dependencies: ["MediatorLinux"], swiftSettings: language),
    .testTarget(
      name: "MediatorBridgeTests",
      dependencies: ["LogindMock", "MediatorBridge", "Mediator", "MediatorLinux", "MediatorTestKit"],
      swiftSettings: language),
    .testTarget(
      name: "LifecycledTests",
      dependencies: ["lifecycled", "MediatorBridge", "MediatorLinux", "Mediator", "MediatorTestKit"],
      swiftSettings: language),
    .testTarget(name: "MediatorTestKitTests", dependencies: ["MediatorTestKit", "Mediator"], swiftSettings: language),
    .testTarget(
      name: "IntegrationTests",
      dependencies: ["lifecycled", "EchoServer", "LogindMock", "MediatorTestKit", "Mediator", "MediatorLinux"],
      path: "Tests/Integration", swiftSettings: language),
    .testTarget(
      name: "ExampleTests", dependencies: ["HelloDaemon", "Snippets", "MediatorBridge", "Mediator", "MediatorTestKit"],
      path: "Examples/Tests", swiftSettings: language),
  ]
)
