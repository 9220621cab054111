extension TracePlot {
  /// Colours that differ in lightness too; no variables, which not every program that shows SVG knows.
  static let stylesheet = """
    text { font-family: system-ui, "DejaVu Sans", sans-serif; font-size: 12px; fill: #1f2328; }
    .title { font-size: 17px; font-weight: bold; }
    .head { font-size: 13px; font-weight: bold; }
    .dim, .tick, .sum, .label { fill: #59636e; }
    .tick { font-size: 10.5px; text-anchor: middle; }
    .sum, .label, .in { font-size: 11px; }
    .in { fill: #ffffff; }
    .end { text-anchor: end; }
    .trouble { fill: #cf222e; }
    .page { fill: #ffffff; }
    .even { fill: #f6f8fa; }
    .odd { fill: #ffffff; }
    .frame { fill: none; stroke: #d1d9e0; }
    .grid { stroke: #d1d9e0; stroke-width: 0.7; }
    .guide { stroke: #59636e; stroke-width: 1; stroke-dasharray: 3 3; }
    .mark { fill: #24292f; }
    .faint { fill: #afb8c1; }
    .start { fill: #2f6fd0; }
    .foreground { fill: #1a7f4b; }
    .reload { fill: #b35f00; }
    .background { fill: #7a55c4; }
    .stop { fill: #57606a; }
    .other { fill: #0a7e8c; }
    .open { opacity: 0.6; }
    rect.bad { stroke: #cf222e; stroke-width: 2; }
    path.bad { fill: #cf222e; }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3; }
      .dim, .tick, .sum, .label { fill: #9da7b1; }
      .in { fill: #0d1117; }
      .trouble { fill: #ff7b72; }
      .page { fill: #0d1117; }
      .even { fill: #151b23; }
      .odd { fill: #0d1117; }
      .frame { stroke: #3d444d; }
      .grid { stroke: #2a313a; }
      .guide { stroke: #9da7b1; }
      .mark { fill: #e6edf3; }
      .faint { fill: #59636e; }
      .start { fill: #6cb0ff; }
      .foreground { fill: #4fc27d; }
      .reload { fill: #f0a04b; }
      .background { fill: #b69cf0; }
      .stop { fill: #8b949e; }
      .other { fill: #4cc4d4; }
      rect.bad { stroke: #ff7b72; }
      path.bad { fill: #ff7b72; }
    }
    """
}
