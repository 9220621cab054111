extension LogLine {
  /// The fields of the line in the journal, each as "NAME=value" (`systemd.journal-fields(7)`).
  ///
  /// What a program prints stands under the program's name, as if it had the service for itself.
  var fields: [String] {
    let printed = isOutput ? subject : nil
    var fields = [
      "MESSAGE=\(Escaped.text(printed == nil ? whole : text))", "PRIORITY=\(level.priority)",
      // daemon, as of what comes by standard error
      "SYSLOG_FACILITY=3", "SYSLOG_IDENTIFIER=\(Escaped.text(printed ?? Self.identifier))",
    ]
    if let kind { fields.append("MESSAGE_ID=\(kind.rawValue)") }
    if let subject = subject ?? listener { fields.append("LIFECYCLE_LISTENER=\(Escaped.text(subject))") }
    for field in LogField.allCases {
      if let value = facts[field] { fields.append("\(field.name)=\(Escaped.text(value))") }
    }
    return fields
  }
}
