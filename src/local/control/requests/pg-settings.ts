import type { PgSettings } from '../project.ts'

/** Settings of the service: a client could break its compute or reach outside of it. */
const RESERVED: readonly RegExp[] = [
  /^(?:shared_buffers|max_connections|effective_cache_size|superuser_reserved_connections|reserved_connections)$/,
  /^(?:port|listen_addresses|cluster_name|bonjour|ssl|gss|krb|unix_socket|external_pid_file)/,
  /(?:_directory|_file|_command|_libraries|_library|_preload|(?<!^search)_path)$/,
  /^(?:log_|logging_|syslog|event_source|archive_|restore_|recovery_|primary_|promote_|hot_standby)/,
  /^(?:wal_level|max_wal_senders|max_replication_slots|max_slot_wal_keep_size|fsync|full_page_writes|data_sync_retry)$/,
  /^(?:lc_messages|password_encryption)$/,
  /^(?:huge_pages|shared_memory_type|dynamic_shared_memory_type|min_dynamic_shared_memory|io_method|allow_system_table_mods)$/,
  /^(?:max_prepared_transactions|max_worker_processes|max_locks_per_transaction|max_pred_locks|track_commit_timestamp)/,
  /^(?:ignore_|zero_damaged_pages|debug_|trace_|wal_consistency|restart_after_crash|exit_on_error|block_size)/,
  /^neon\./,
]

const NAME = /^[a-z_][a-z0-9_$]*(?:\.[a-z_][a-z0-9_$]*)*$/i

/** Characters; no setting needs more. */
const MAX_VALUE_LENGTH = 1000

/** First problem, with its field. compute/check-settings.ts checks names and values further. */
export function settingsRefusal(settings: PgSettings, field: string): string | undefined {
  for (const [name, value] of Object.entries(settings)) {
    if (!NAME.test(name) || name.length > 63)
      return `${field}: not the name of a setting: ${JSON.stringify(name)}`
    if (RESERVED.some((reserved) => reserved.test(name.toLowerCase())))
      return `${field}.${name}: this setting belongs to the service`
    if (value.length > MAX_VALUE_LENGTH || !/^[^\p{Cc}]*$/u.test(value))
      return `${field}.${name}: expected at most ${MAX_VALUE_LENGTH} characters without control characters`
  }
  return undefined
}

export const sameSettings = (a: PgSettings, b: PgSettings): boolean =>
  Object.keys(a).length === Object.keys(b).length &&
  Object.entries(a).every(([name, value]) => b[name] === value)
