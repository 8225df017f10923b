import { Command } from 'commander'
import type { ApiKey } from '../../model/service/api-key.ts'
import { timeField } from '../../outputs/text/compute-fields.ts'
import { addRequestCommand, printAnswer, printList } from '../connect/request.ts'
import type { ConnectOptions } from '../connect/service.ts'
import { EXIT, textFields, timeText, type CommandSession, type Io } from '../terminal/io.ts'
import { parseKeyId } from '../terminal/parse.ts'

export function createKeysCommand({ io, end }: CommandSession): Command {
  const keys = new Command('keys').description('API keys of an account')
  addRequestCommand(keys, 'list', 'list API keys, without their values').action((options: ConnectOptions) =>
    end(
      printList(options, io, {
        send: (service, signal) => service.listKeys(signal),
        name: 'keys',
        json: keyJson,
        columns: {
          KEY: ({ keyId }) => String(keyId),
          NAME: ({ name }) => name,
          CREATED: ({ createdAt }) => timeText(createdAt),
          'LAST USED': ({ lastUsedAt }) => timeText(lastUsedAt),
          FROM: ({ lastUsedFrom }) => lastUsedFrom ?? '-',
        },
      }),
    ),
  )
  addRequestCommand(keys, 'create', 'create an API key; its value is printed once')
    .argument('<name>', 'purpose of the key')
    .action((name: string, options: ConnectOptions) => end(create(name, options, io)))
  addRequestCommand(keys, 'revoke', 'revoke an API key, at once and for good')
    .argument('<key-id>', 'its number, from keys list', parseKeyId)
    .action((keyId: number, options: ConnectOptions) =>
      end(
        printAnswer(options, io, {
          send: (service, signal) => service.revokeKey(keyId, signal),
          json: keyJson,
          text: ({ name }) => `key ${keyId} (${name}) is revoked`,
        }),
      ),
    )
  return keys
}

async function create(name: string, options: ConnectOptions, io: Io) {
  const code = await printAnswer(options, io, {
    send: (service, signal) => service.createKey(name, signal),
    json: ({ keyId, key }) => ({ key_id: keyId, key }),
    text: ({ keyId, key }) => textFields({ id: String(keyId), key }),
  })
  if (code === EXIT.ok && !options.json)
    io.err('The key is shown only once: keep it in a file that only Dormouse can read.')
  return code
}

const keyJson = (key: ApiKey) => ({
  key_id: key.keyId,
  name: key.name,
  created_at: timeField(key.createdAt),
  last_used_at: timeField(key.lastUsedAt),
  last_used_from: key.lastUsedFrom ?? null,
  revoked: key.revoked,
})
