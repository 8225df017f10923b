// Whom something is sent to, as `notifications` and the report have it. Addresses of webhooks are secrets.
import { resolve } from 'node:path'
import { z } from 'zod'
import { createSecret, type Environment, type Secret } from '../secrets.ts'
import { wholeNumberSchema } from '../units.ts'

export type Receiver =
  | { readonly type: 'webhook'; readonly url: Secret; readonly secret: Secret | undefined }
  | { readonly type: 'slack'; readonly url: Secret }
  | {
      readonly type: 'smtp'
      readonly host: string
      readonly port: number
      readonly user: string | undefined
      readonly password: Secret | undefined
      readonly from: string
      readonly to: readonly string[]
      readonly insecure: boolean
    }
  | { readonly type: 'file'; readonly path: string; readonly keep: number }

const FILE = 'expected the path of a file'
const VARIABLE = 'expected the name of a variable'
const MAIL = 'expected a mail address such as team@example.com'
const mail = z.string(MAIL).regex(/^[^\s<>@,;:"]+@[^\s<>@,;:"]+$/, MAIL)
const file = z.string(FILE).min(1, FILE).optional()
const variable = z.string(VARIABLE).min(1, VARIABLE).optional()

export const receiverName = z
  .string()
  .regex(/^[a-z0-9-]{1,40}$/, 'expected 1 to 40 of the characters a-z 0-9 -')
  .describe('Names it in metrics and logs. Renaming it forgets what waits for it.')

/** The keys of all types; `receiverProblems` says which belong to which. */
export const receiverKeys = {
  url_file: file.describe('webhook, slack: file with the address, which is a secret.'),
  url_env: variable.describe('webhook, slack: variable with the address, in place of url_file.'),
  secret_file: file.describe('webhook: file with what bodies are signed with.'),
  secret_env: variable.describe('webhook: variable with it, in place of secret_file.'),
  host: z
    .string()
    .regex(/^[\w.-]+$/, 'expected the name of a host')
    .optional()
    .describe('smtp: the mail server.'),
  port: wholeNumberSchema(1, 65_535)
    .optional()
    .describe('smtp: its port; 587 when absent, 465 encrypts from the first byte.'),
  user: z.string().min(1).optional().describe('smtp: the user, where the server asks for one.'),
  password_file: file.describe('smtp: file with the password.'),
  password_env: variable.describe('smtp: variable with the password, in place of password_file.'),
  from: mail.optional().describe('smtp: the sender.'),
  to: z.array(mail).min(1).optional().describe('smtp: whom to send it to.'),
  insecure: z
    .boolean()
    .optional()
    .describe('smtp: whether a server without encryption or a known certificate will do.'),
}

type Keys = z.output<z.ZodObject<typeof receiverKeys>>
export type ReceiverEntry = Keys & {
  readonly type: Receiver['type']
  readonly path?: string | undefined
  readonly keep?: number | undefined
}

type Key = keyof ReceiverEntry

const ALLOWED: Readonly<Record<Receiver['type'], readonly Key[]>> = {
  webhook: ['url_file', 'url_env', 'secret_file', 'secret_env'],
  slack: ['url_file', 'url_env'],
  smtp: ['host', 'port', 'user', 'password_file', 'password_env', 'from', 'to', 'insecure'],
  file: ['path', 'keep'],
}
const NEEDED: Readonly<Record<Receiver['type'], readonly Key[]>> = {
  webhook: [],
  slack: [],
  smtp: ['host', 'from', 'to'],
  file: ['path'],
}
const KEYS = [...new Set(Object.values(ALLOWED).flat())]

/** For `superRefine` of an entry that has `receiverKeys`. */
export function refineReceiver(entry: ReceiverEntry, context: { addIssue: (message: string) => void }): void {
  for (const message of receiverProblems(entry)) context.addIssue(message)
}

/** What of its keys does not fit its type, one line each. */
function receiverProblems(entry: ReceiverEntry): readonly string[] {
  const { type } = entry
  const has = (key: Key): boolean => entry[key] !== undefined
  const strange = KEYS.filter((key) => has(key) && !ALLOWED[type].includes(key))
  const missing = NEEDED[type].filter((key) => !has(key))
  const addresses = [has('url_file'), has('url_env')].filter(Boolean).length
  return [
    ...strange.map((key) => `${key} is no key of type ${type}`),
    ...missing.map((key) => `type ${type} needs ${key}`),
    ...(ALLOWED[type].includes('url_file') && addresses !== 1
      ? ['expected exactly one of url_file and url_env']
      : []),
    ...(has('secret_file') && has('secret_env')
      ? ['expected at most one of secret_file and secret_env']
      : []),
    ...(has('password_file') && has('password_env')
      ? ['expected at most one of password_file and password_env']
      : []),
  ]
}

export type ConfigContext = { readonly folder: string; readonly env: Environment }

type NamedEntry = ReceiverEntry & { readonly name: string }
type Made<Entry> = { readonly entry: Entry; readonly receiver: Receiver }

/**
 * Receivers of entries without problems of their own, in their order; and what is wrong with them together: a name that comes twice,
 * secrets that cannot be read.
 *
 * @param path where they are in the configuration
 */
export function buildReceivers<Entry extends NamedEntry>(
  path: string,
  entries: readonly Entry[],
  surroundings: ConfigContext,
): { readonly made: readonly Made<Entry>[]; readonly problems: readonly string[] } {
  const made = entries.map((entry) => ({ entry, receiver: receiverOf(entry, surroundings) }))
  const problems = made.flatMap(({ entry: { name }, receiver }, index) => {
    const first = entries.findIndex((other) => other.name === name)
    return [
      ...(first === index ? [] : [`${path}[${index}].name: ${name} is the name of ${path}[${first}], too`]),
      ...unreadSecrets(receiver).map((problem) => `${path}[${index}]: ${problem}`),
    ]
  })
  return { made, problems }
}

function receiverOf(entry: ReceiverEntry, { folder, env }: ConfigContext): Receiver {
  const secret = (path: string | undefined, name: string | undefined): Secret | undefined => {
    if (path !== undefined) return createSecret({ file: resolve(folder, path) }, env)
    return name === undefined ? undefined : createSecret({ variable: name }, env)
  }
  const url = secret(entry.url_file, entry.url_env) ?? createSecret({ variable: '' }, env)
  switch (entry.type) {
    case 'webhook':
      return { type: 'webhook', url, secret: secret(entry.secret_file, entry.secret_env) }
    case 'slack':
      return { type: 'slack', url }
    case 'smtp':
      return {
        type: 'smtp',
        host: entry.host ?? '',
        port: entry.port ?? 587,
        user: entry.user,
        password: secret(entry.password_file, entry.password_env),
        from: entry.from ?? '',
        to: entry.to ?? [],
        insecure: entry.insecure ?? false,
      }
    case 'file':
      return { type: 'file', path: resolve(folder, entry.path ?? ''), keep: entry.keep ?? 52 }
  }
}

/** Secrets of it that cannot be read, one line each. */
function unreadSecrets(receiver: Receiver): readonly string[] {
  const secrets = 'url' in receiver ? [receiver.url] : []
  const more = 'secret' in receiver ? [receiver.secret] : 'password' in receiver ? [receiver.password] : []
  return [...secrets, ...more].flatMap((secret) => {
    const text = secret?.read()
    return text && !text.ok ? [text.error] : []
  })
}
