/// A listener for the lives of scenes.
public protocol SceneListener: LifecycleListener {
  /// The kinds of scenes it is told of; empty for all.
  ///
  /// Asked once, when the entry is made.
  var kinds: Set<String> { get }
  /// One event of one scene; a throw in `willConnect` of a required listener refuses the scene.
  func scene(_ scene: LifecycleScene, _ event: LifecycleScene.Event, _ transition: LifecycleTransition) async throws
}

extension SceneListener {
  public var kinds: Set<String> { [] }
}
