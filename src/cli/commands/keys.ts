// `keys`: every operation of the service on API keys.
import { Command } from 'commander'
import { connectService, withConnectOptions, type ConnectOptions } from '../connect/service.ts'
import type { ExitCode, Io } from '../terminal/io.ts'
import {
  EXIT,
  failWith,
  textFields,
  jsonText,
  keyRecordJson,
  textTable,
  timeText,
  failUsage,
  reportFindings,
  type CommandSession,
} from '../terminal/output.ts'
import { parseKeyId } from '../terminal/parse.ts'

type Options = ConnectOptions & { readonly json?: boolean }

export function createKeysCommand({ io, end }: CommandSession): Command {
  const keys = new Command('keys').description('API keys of an account')
  const add = (name: string, description: string): Command =>
    withConnectOptions(keys.command(name).description(description)).option('--json', 'print JSON')

  add('list', 'list API keys, without their values').action(async (options: Options) =>
    end(await list(options, io)),
  )
  add('create', 'create an API key; its value is printed once')
    .argument('<name>', 'purpose of the key')
    .action(async (name: string, options: Options) => end(await create(name, options, io)))
  add('revoke', 'revoke an API key, at once and for good')
    .argument('<key-id>', 'its number, from keys list', parseKeyId)
    .action(async (keyId: number, options: Options) => end(await revoke(keyId, options, io)))
  return keys
}

async function list(options: Options, io: Io): Promise<ExitCode> {
  const service = connectService(options, io)
  if (!service.ok) return failUsage(io, ...service.error)
  const listed = await service.value.listKeys(io.signal)
  if (!listed.ok) return failWith(io, listed.error)
  const { items, problems } = listed.value
  if (options.json) {
    io.out(jsonText({ keys: items.map(keyRecordJson), problems }))
    return problems.length === 0 ? EXIT.ok : EXIT.findings
  }
  const rows = items.map((key) => [
    String(key.keyId),
    key.name,
    timeText(key.createdAt),
    timeText(key.lastUsedAt),
    key.lastUsedFrom ?? '-',
  ])
  io.out(textTable(['KEY', 'NAME', 'CREATED', 'LAST USED', 'FROM'], rows))
  return reportFindings(io, problems)
}

async function create(name: string, options: Options, io: Io): Promise<ExitCode> {
  const service = connectService(options, io)
  if (!service.ok) return failUsage(io, ...service.error)
  const created = await service.value.createKey(name, io.signal)
  if (!created.ok) return failWith(io, created.error)
  const { keyId, key } = created.value
  if (options.json) io.out(jsonText({ key_id: keyId, key }))
  else {
    io.out(textFields({ id: String(keyId), key }))
    io.err('The key is shown only once: keep it in a file that only Dormouse can read.')
  }
  return EXIT.ok
}

async function revoke(keyId: number, options: Options, io: Io): Promise<ExitCode> {
  const service = connectService(options, io)
  if (!service.ok) return failUsage(io, ...service.error)
  const revoked = await service.value.revokeKey(keyId, io.signal)
  if (!revoked.ok) return failWith(io, revoked.error)
  io.out(
    options.json ? jsonText(keyRecordJson(revoked.value)) : `key ${keyId} (${revoked.value.name}) is revoked`,
  )
  return EXIT.ok
}
