// swift-tools-version: 6.2

import PackageDescription

let language: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

let package = Package(
  name: "benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "mediator", path: "..")],
  targets: [
    .target(name: "CMeasure"),
    .executableTarget(
      name: "bench", dependencies: ["CMeasure", .product(name: "Mediator", package: "mediator")],
      swiftSettings: language),
    .executableTarget(
      name: "daemon",
      dependencies: [
        "CMeasure", .product(name: "Mediator", package: "mediator"),
        .product(name: "MediatorBridge", package: "mediator"),
      ],
      swiftSettings: language),
  ]
)
