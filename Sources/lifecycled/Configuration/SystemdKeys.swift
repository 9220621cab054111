/// The keys that systemd has for `[Unit]`, `[Service]` and `[Install]`, to tell a key we lack from a misspelt one.
///
/// From `systemd --dump-configuration-items` of 252, with those that 253 to 258 added.
enum SystemdKeys {
  static func contains(_ key: String) -> Bool { all.contains(key) }

  /// Built at the first unknown key only, so it costs a sound configuration nothing.
  private static let all = Set(text.split { $0 == " " || $0 == "\n" }.map(String.init))

  private static let text = """
    After Alias AllowIsolate AllowedCPUs AllowedMemoryNodes Also AmbientCapabilities AppArmorProfile AssertACPower
    AssertArchitecture AssertCPUFeature AssertCPUPressure AssertCPUs AssertCapability AssertControlGroupController
    AssertCredential AssertDirectoryNotEmpty AssertEnvironment AssertFileIsExecutable AssertFileNotEmpty AssertFirmware
    AssertFirstBoot AssertGroup AssertHost AssertIOPressure AssertKernelCommandLine AssertKernelModuleLoaded
    AssertKernelVersion AssertMemory AssertMemoryPressure AssertNeedsUpdate AssertOSRelease AssertPathExists
    AssertPathExistsGlob AssertPathIsDirectory AssertPathIsEncrypted AssertPathIsMountPoint AssertPathIsReadWrite
    AssertPathIsSocket AssertPathIsSymbolicLink AssertSecurity AssertUser AssertVersion AssertVirtualization
    BPFDelegateAttachments BPFDelegateCommands BPFDelegateMaps BPFDelegatePrograms BPFProgram Before BindLogSockets
    BindPaths BindReadOnlyPaths BindTo BindsTo BlockIOAccounting BlockIODeviceWeight BlockIOReadBandwidth BlockIOWeight
    BlockIOWriteBandwidth BusName CPUAccounting CPUAffinity CPUQuota CPUQuotaPeriodSec CPUSchedulingPolicy
    CPUSchedulingPriority CPUSchedulingResetOnFork CPUShares CPUWeight CacheDirectory CacheDirectoryMode
    CapabilityBoundingSet CollectMode ConcurrencyHardMax ConcurrencySoftMax ConditionACPower ConditionArchitecture
    ConditionCPUFeature ConditionCPUPressure ConditionCPUs ConditionCapability ConditionControlGroupController
    ConditionCredential ConditionDirectoryNotEmpty ConditionEnvironment ConditionFileIsExecutable ConditionFileNotEmpty
    ConditionFirmware ConditionFirstBoot ConditionGroup ConditionHost ConditionIOPressure ConditionKernelCommandLine
    ConditionKernelModuleLoaded ConditionKernelVersion ConditionMemory ConditionMemoryPressure ConditionNeedsUpdate
    ConditionOSRelease ConditionPathExists ConditionPathExistsGlob ConditionPathIsDirectory ConditionPathIsEncrypted
    ConditionPathIsMountPoint ConditionPathIsReadWrite ConditionPathIsSocket ConditionPathIsSymbolicLink
    ConditionSecurity ConditionUser ConditionVersion ConditionVirtualization ConfigurationDirectory
    ConfigurationDirectoryMode Conflicts CoredumpFilter CoredumpReceive DebugInvocation DefaultDependencies
    DefaultInstance DefaultMemoryLow DefaultMemoryMin DefaultStartupMemoryLow Delegate DelegateNamespaces
    DelegateSubgroup Description DeviceAllow DevicePolicy DisableControllers Documentation DynamicUser Environment
    EnvironmentFile ExecCondition ExecPaths ExecReload ExecSearchPath ExecStart ExecStartPost ExecStartPre ExecStop
    ExecStopPost ExitType ExtensionDirectories ExtensionImagePolicy ExtensionImages FailureAction
    FailureActionExitStatus FileDescriptorStoreMax FileDescriptorStorePreserve FinalKillSignal Group GuessMainPID
    IOAccounting IODeviceLatencyTargetSec IODeviceWeight IOReadBandwidthMax IOReadIOPSMax IOSchedulingClass
    IOSchedulingPriority IOWeight IOWriteBandwidthMax IOWriteIOPSMax IPAccounting IPAddressAllow IPAddressDeny
    IPCNamespacePath IPEgressFilterPath IPIngressFilterPath IgnoreOnIsolate IgnoreSIGPIPE ImportCredential
    InaccessibleDirectories InaccessiblePaths JobRunningTimeoutSec JobTimeoutAction JobTimeoutRebootArgument
    JobTimeoutSec JoinsNamespaceOf KeyringMode KillMode KillSignal LimitAS LimitCORE LimitCPU LimitDATA LimitFSIZE
    LimitLOCKS LimitMEMLOCK LimitMSGQUEUE LimitNICE LimitNOFILE LimitNPROC LimitRSS LimitRTPRIO LimitRTTIME
    LimitSIGPENDING LimitSTACK LoadCredential LoadCredentialEncrypted LockPersonality LogExtraFields LogFilterPatterns
    LogLevelMax LogNamespace LogRateLimitBurst LogRateLimitIntervalSec LogsDirectory LogsDirectoryMode
    ManagedOOMMemoryPressure ManagedOOMMemoryPressureDurationSec ManagedOOMMemoryPressureLimit ManagedOOMPreference
    ManagedOOMSwap MemoryAccounting MemoryDenyWriteExecute MemoryHigh MemoryKSM MemoryLimit MemoryLow MemoryMax
    MemoryMin MemoryPressureThresholdSec MemoryPressureWatch MemorySwapMax MemoryZSwapMax MemoryZSwapWriteback
    MountAPIVFS MountFlags MountImagePolicy MountImages NFTSet NUMAMask NUMAPolicy NetworkNamespacePath Nice
    NoExecPaths NoNewPrivileges NonBlocking NotifyAccess OOMPolicy OOMScoreAdjust OnFailure OnFailureIsolate
    OnFailureJobMode OnSuccess OnSuccessJobMode OpenFile PAMName PIDFile PartOf PassEnvironment PermissionsStartOnly
    Personality PrivateBPF PrivateDevices PrivateIPC PrivateMounts PrivateNetwork PrivatePIDs PrivateTmp PrivateUsers
    ProcSubset PropagateReloadFrom PropagateReloadTo PropagatesReloadTo PropagatesStopTo ProtectClock
    ProtectControlGroups ProtectHome ProtectHostname ProtectKernelLogs ProtectKernelModules ProtectKernelTunables
    ProtectProc ProtectSystem ReadOnlyDirectories ReadOnlyPaths ReadWriteDirectories ReadWritePaths RebootArgument
    RefreshOnReload RefuseManualStart RefuseManualStop ReloadPropagatedFrom ReloadSignal RemainAfterExit RemoveIPC
    RequiredBy Requires RequiresMountsFor RequiresOverridable Requisite RequisiteOverridable Restart
    RestartForceExitStatus RestartKillSignal RestartMaxDelaySec RestartMode RestartPreventExitStatus RestartSec
    RestartSteps RestrictAddressFamilies RestrictFileSystems RestrictNamespaces RestrictNetworkInterfaces
    RestrictRealtime RestrictSUIDSGID RootDirectory RootDirectoryStartOnly RootEphemeral RootHash RootHashSignature
    RootImage RootImageOptions RootImagePolicy RootVerity RuntimeDirectory RuntimeDirectoryMode
    RuntimeDirectoryPreserve RuntimeMaxSec RuntimeRandomizedExtraSec SELinuxContext SecureBits SendSIGHUP SendSIGKILL
    SetCredential SetCredentialEncrypted SetLoginEnvironment Slice SmackProcessLabel SocketBindAllow SocketBindDeny
    Sockets SourcePath StandardError StandardInput StandardInputData StandardInputText StandardOutput StartLimitAction
    StartLimitBurst StartLimitInterval StartLimitIntervalSec StartupAllowedCPUs StartupAllowedMemoryNodes
    StartupBlockIOWeight StartupCPUShares StartupCPUWeight StartupIOWeight StartupMemoryHigh StartupMemoryLow
    StartupMemoryMax StartupMemorySwapMax StartupMemoryZSwapMax StateDirectory StateDirectoryMode StopPropagatedFrom
    StopWhenUnneeded SuccessAction SuccessActionExitStatus SuccessExitStatus SupplementaryGroups SurviveFinalKillSignal
    SyslogFacility SyslogIdentifier SyslogLevel SyslogLevelPrefix SystemCallArchitectures SystemCallErrorNumber
    SystemCallFilter SystemCallLog TTYColumns TTYPath TTYReset TTYRows TTYVHangup TTYVTDisallocate TasksAccounting
    TasksMax TemporaryFileSystem TimeoutAbortSec TimeoutCleanSec TimeoutSec TimeoutStartFailureMode TimeoutStartSec
    TimeoutStopFailureMode TimeoutStopSec TimerSlackNSec Type UMask USBFunctionDescriptors USBFunctionStrings
    UnsetEnvironment UpheldBy Upholds User UserNamespacePath UtmpIdentifier UtmpMode WantedBy Wants WantsMountsFor
    WatchdogSec WatchdogSignal WorkingDirectory
    """
}
