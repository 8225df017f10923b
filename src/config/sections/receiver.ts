// Receivers, as `notifications` and `report.sinks` configure them. Addresses of webhooks are secrets.
import { resolve } from 'node:path'
import { z } from 'zod'
import { createSecret, type Environment, type Secret } from '../secrets.ts'
import { repeatedName } from '../suggestions.ts'
import { labelSchema, wholeNumberSchema } from '../units.ts'

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

export const receiverName = labelSchema.describe(
  'Labels it in metrics and logs. A renamed receiver loses deliveries that are waiting.',
)

/** Keys of all types; `receiverProblems` checks which of them a type has. */
export const receiverKeys = {
  url_file: file.describe('webhook, slack: file with the address, which is a secret.'),
  url_env: variable.describe('webhook, slack: variable with the address, in place of url_file.'),
  secret_file: file.describe('webhook: file with the secret that signs bodies.'),
  secret_env: variable.describe('webhook: variable with the secret, in place of secret_file.'),
  host: z
    .string()
    .regex(/^[\w.-]+$/, 'expected the name of a host')
    .optional()
    .describe('smtp: the mail server.'),
  port: wholeNumberSchema(1, 65_535)
    .optional()
    .describe('smtp: port of the mail server; by default 587; 465 encrypts from the first byte.'),
  user: z.string().min(1).optional().describe('smtp: the user, if the server asks for one.'),
  password_file: file.describe('smtp: file with the password.'),
  password_env: variable.describe('smtp: variable with the password, in place of password_file.'),
  from: mail.optional().describe('smtp: the sender.'),
  to: z.array(mail).min(1).optional().describe('smtp: the recipients.'),
  insecure: z
    .boolean()
    .optional()
    .describe('smtp: whether to accept a server without encryption or without a trusted certificate.'),
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
const REQUIRED: Readonly<Record<Receiver['type'], readonly Key[]>> = {
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

/** Keys that do not fit the type or are missing, one line each. */
function receiverProblems(entry: ReceiverEntry): readonly string[] {
  const { type } = entry
  const has = (key: Key): boolean => entry[key] !== undefined
  const foreign = KEYS.filter((key) => has(key) && !ALLOWED[type].includes(key))
  const missing = REQUIRED[type].filter((key) => !has(key))
  const addresses = [has('url_file'), has('url_env')].filter(Boolean).length
  return [
    ...foreign.map((key) => `${key} is no key of type ${type}`),
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

/** `folder` is that of the configuration file: relative paths start there. */
export type ConfigContext = { readonly folder: string; readonly env: Environment }

type NamedEntry = ReceiverEntry & { readonly name: string }
type Built<Entry> = { readonly entry: Entry; readonly receiver: Receiver }

/**
 * Receivers in the order of their entries, and their problems: repeated names, secrets that cannot be read.
 *
 * @param path of the list in the configuration
 */
export function buildReceivers<Entry extends NamedEntry>(
  path: string,
  entries: readonly Entry[],
  context: ConfigContext,
): { readonly built: readonly Built<Entry>[]; readonly problems: readonly string[] } {
  const built = entries.map((entry) => ({ entry, receiver: receiverOf(entry, context) }))
  const problems = built.flatMap(({ receiver }, index) => [
    ...repeatedName(path, entries, index),
    ...secretProblems(receiver).map((problem) => `${path}[${index}]: ${problem}`),
  ])
  return { built, problems }
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

/** Secrets of a receiver that cannot be read, one line each. */
function secretProblems(receiver: Receiver): readonly string[] {
  const secrets = 'url' in receiver ? [receiver.url] : []
  const more = 'secret' in receiver ? [receiver.secret] : 'password' in receiver ? [receiver.password] : []
  return [...secrets, ...more].flatMap((secret) => {
    const text = secret?.read()
    return text && !text.ok ? [text.error] : []
  })
}
