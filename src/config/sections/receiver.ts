// Addresses of webhooks are secrets.
import { resolve } from 'node:path'
import { array, boolean, string, type z } from 'zod'
import {
  configuredSecret,
  createSecret,
  secretProblems,
  type ConfigContext,
  type Secret,
} from '../secrets.ts'
import { isUnencrypted } from '../../std/unencrypted.ts'
import { repeatedName } from '../suggestions.ts'
import { labelSchema, optionalText, secretFile, secretVariable, wholeNumberSchema } from '../parts.ts'

export type Receiver =
  | Readonly<{ type: 'webhook'; url: Secret; secret: Secret | undefined; insecure: boolean }>
  | Readonly<{ type: 'slack'; url: Secret; insecure: boolean }>
  | Readonly<{
      type: 'smtp'
      host: string
      port: number
      user: string | undefined
      password: Secret | undefined
      from: string
      to: readonly string[]
      /** Without encryption, where the server offers none. */
      insecure: boolean
      /** Encrypted, whoever the server is. */
      anyCertificate: boolean
    }>
  | Readonly<{ type: 'file'; path: string; keep: number }>

const MAIL = 'expected a mail address such as team@example.com'
const mail = string(MAIL).regex(/^[^\s<>@,;:"]+@[^\s<>@,;:"]+$/, MAIL)

export const receiverName = labelSchema.describe(
  'Labels it in metrics and logs. A renamed receiver loses deliveries that are waiting.',
)

/** Keys of all types; `KEY_RULES` says which of them a type has. */
export const receiverKeys = {
  url_file: secretFile.describe('webhook, slack: file with the address, which is a secret.'),
  url_env: secretVariable.describe('webhook, slack: variable with the address, in place of url_file.'),
  secret_file: secretFile.describe('webhook: file with the secret that signs bodies.'),
  secret_env: secretVariable.describe('webhook: variable with the secret, in place of secret_file.'),
  host: string()
    .regex(/^[\w.-]+$/, 'expected the name of a host')
    .optional()
    .describe('smtp: the mail server.'),
  port: wholeNumberSchema(1, 65_535)
    .optional()
    .describe('smtp: port of the mail server; by default 587; 465 encrypts from the first byte.'),
  user: optionalText.describe('smtp: the user, if the server asks for one.'),
  password_file: secretFile.describe('smtp: file with the password.'),
  password_env: secretVariable.describe('smtp: variable with the password, in place of password_file.'),
  from: mail.optional().describe('smtp: the sender.'),
  to: array(mail).min(1).optional().describe('smtp: the recipients.'),
  insecure: boolean()
    .optional()
    .describe(
      'Whether to send without encryption: webhook, slack: to an http address outside of loopback; smtp: to a server that offers none, without user and password.',
    ),
  any_certificate: boolean()
    .optional()
    .describe('smtp: whether to accept a certificate that nobody trusted has signed.'),
}

type ReceiverEntry = z.output<z.ZodObject<typeof receiverKeys>> & {
  readonly type: Receiver['type']
  readonly path?: string | undefined
  readonly keep?: number | undefined
}

type Key = keyof ReceiverEntry
type KeyRules = Readonly<{ allowed: readonly Key[]; needed: readonly Key[] }>

/** Keys by type; besides, one of the two keys of an address is needed. */
const KEY_RULES: Readonly<Record<Receiver['type'], KeyRules>> = {
  webhook: { allowed: ['url_file', 'url_env', 'secret_file', 'secret_env', 'insecure'], needed: [] },
  slack: { allowed: ['url_file', 'url_env', 'insecure'], needed: [] },
  smtp: {
    allowed: [
      'host',
      'port',
      'user',
      'password_file',
      'password_env',
      'from',
      'to',
      'insecure',
      'any_certificate',
    ],
    needed: ['host', 'from', 'to'],
  },
  file: { allowed: ['path', 'keep'], needed: ['path'] },
}
const KEYS = [...new Set(Object.values(KEY_RULES).flatMap(({ allowed }) => allowed))]

export function refineReceiver(entry: ReceiverEntry, context: { addIssue: (message: string) => void }): void {
  for (const message of receiverProblems(entry)) context.addIssue(message)
}

function receiverProblems(entry: ReceiverEntry) {
  const { type } = entry
  const { allowed, needed } = KEY_RULES[type]
  const has = (key: Key) => entry[key] !== undefined
  const foreign = KEYS.filter((key) => has(key) && !allowed.includes(key))
  const missing = needed.filter((key) => !has(key))
  const doubled = (['secret', 'password'] as const).filter((key) => has(`${key}_file`) && has(`${key}_env`))
  const lacksAddress = allowed.includes('url_file') && has('url_file') === has('url_env')
  const hasLogin = has('user') || has('password_file') || has('password_env')
  const isOpen = type === 'smtp' && entry.insecure === true && hasLogin
  return [
    ...foreign.map((key) => `${key} is no key of type ${type}`),
    ...missing.map((key) => `type ${type} needs ${key}`),
    ...(lacksAddress ? ['expected exactly one of url_file and url_env'] : []),
    ...doubled.map((name) => `expected at most one of ${name}_file and ${name}_env`),
    ...(isOpen
      ? ['insecure: no password is sent without encryption; leave out insecure, or user and password']
      : []),
  ]
}

type NamedEntry = ReceiverEntry & { readonly name: string }
type Built<Entry> = Readonly<{ entry: Entry; receiver: Receiver }>

/** In the order of the entries. Problems: repeated names, secrets that cannot be read, addresses without encryption. */
export function buildReceivers<Entry extends NamedEntry>(
  path: string,
  entries: readonly Entry[],
  context: ConfigContext,
): Readonly<{ built: readonly Built<Entry>[]; problems: readonly string[] }> {
  const built = entries.map((entry) => ({ entry, receiver: receiverOf(entry, context) }))
  const problems = built.flatMap(({ receiver }, index) => [
    ...repeatedName(path, entries, index),
    ...secretProblems(`${path}[${index}]`, secretsOf(receiver), context),
    ...addressProblems(`${path}[${index}]`, receiver),
  ])
  return { built, problems }
}

function addressProblems(path: string, receiver: Receiver): readonly string[] {
  if (!('url' in receiver) || receiver.insecure) return []
  const url = receiver.url.read()
  return url.ok && isUnencrypted(url.value)
    ? [`${path}.${receiver.url.from}: expected https, as the host is not loopback, or insecure: true`]
    : []
}

function receiverOf(entry: ReceiverEntry, context: ConfigContext): Receiver {
  const { type, insecure = false } = entry
  const secret = (name: 'url' | 'secret' | 'password') =>
    configuredSecret(
      createSecret,
      { name, file: entry[`${name}_file`], variable: entry[`${name}_env`] },
      context,
    )
  const url = secret('url') ?? createSecret('url_env', { variable: '' }, context)
  switch (type) {
    case 'webhook':
      return { type, url, secret: secret('secret'), insecure }
    case 'slack':
      return { type, url, insecure }
    case 'smtp':
      return mailReceiver(entry, secret('password'))
    case 'file':
      return { type, path: resolve(context.folder, entry.path ?? ''), keep: entry.keep ?? 52 }
  }
}

function mailReceiver(
  { host = '', port = 587, user, from = '', to = [], insecure = false, any_certificate }: ReceiverEntry,
  password: Secret | undefined,
): Receiver {
  const anyCertificate = any_certificate ?? false
  return { type: 'smtp', host, port, user, password, from, to, insecure, anyCertificate }
}

/** Secrets of a receiver by its type; undefined where one is not configured. */
export function secretsOf(receiver: Receiver): readonly (Secret | undefined)[] {
  switch (receiver.type) {
    case 'webhook':
      return [receiver.url, receiver.secret]
    case 'slack':
      return [receiver.url]
    case 'smtp':
      return [receiver.password]
    case 'file':
      return []
  }
}
