// swift-tools-version: 6.2

import PackageDescription

/// A package of somebody else: what it can do with the products from outside, users can.
let package = Package(
  name: "consumer",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "mediator", path: "../..")
  ],
  targets: [
    .target(
      name: "Consumer",
      dependencies: [
        .product(name: "Mediator", package: "mediator"), .product(name: "MediatorBridge", package: "mediator"),
      ]),
    // With the settings that Swift proposes for programs.
    .target(
      name: "ConsumerOfMainActor", dependencies: ["Consumer", .product(name: "Mediator", package: "mediator")],
      swiftSettings: [
        .defaultIsolation(MainActor.self), .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .enableUpcomingFeature("InferIsolatedConformances"),
      ]),
    .testTarget(
      name: "ConsumerTests",
      dependencies: [
        "Consumer", "ConsumerOfMainActor", .product(name: "MediatorTestKit", package: "mediator"),
      ]),
  ]
)
