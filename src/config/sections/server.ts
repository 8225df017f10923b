import { array, boolean, enum as oneOf, record, strictObject, string, type z } from 'zod'
import { camelKeys, example, someText, type CamelKeys } from '../parts.ts'
import { addressSchema, isLoopback } from '../units.ts'

const SHA256 = 'expected the SHA-256 of the token as 64 hexadecimal digits: printf %s TOKEN | sha256sum'

/** Digest → what it is the digest of: what a recipe writes whose command for the token is missing or fails. */
const EMPTY_TOKENS: Readonly<Record<string, string>> = {
  e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855: 'an empty text',
  '01ba4719c80b6fe911b091a7c05124b64eeece964e09c058ef8f9805daca546b': 'an empty line',
}

const token = strictObject({
  sha256: string(SHA256)
    .regex(/^[\da-f]{64}$/i, SHA256)
    .transform((text) => text.toLowerCase())
    .superRefine((digest, context) => {
      const empty = EMPTY_TOKENS[digest]
      if (empty !== undefined) context.addIssue(`is the digest of ${empty}: expected that of a token`)
    }),
  scope: oneOf(['metrics', 'read', 'operate']).describe(
    'metrics: /metrics and /sd of server.telemetry. read: the API, without changes. operate: the API with changes.',
  ),
})

const NAME = 'expected a host name without port, such as dormouse.internal'

const listeners = strictObject({
  telemetry: addressSchema
    .prefault('0.0.0.0:9477')
    .describe(
      'Metrics and health, for Prometheus and the orchestrator: host:port, an IPv6 host in brackets.',
    ),
  api: addressSchema
    .prefault('127.0.0.1:9478')
    .describe(
      'Status page and API: host:port. On loopback reading needs no token; elsewhere tokens and tls are required.',
    ),
  names: array(string(NAME).regex(/^[\w.-]+$|^\[[\da-f:.]+\]$/i, NAME))
    .prefault([])
    .describe(
      'Host names that clients use, besides localhost and, for telemetry, IP addresses; other names are refused.',
    ),
  tokens: record(
    string().regex(/^[\w.@-]{1,60}$/, 'expected 1 to 60 letters, digits or any of _ . @ -'),
    token,
  )
    .prefault({})
    .describe('Tokens by name of the client, sent as Authorization: Bearer. Every change needs one.'),
  open: boolean()
    .prefault(true)
    .describe(
      'Whether reading needs no token on loopback; false, or any token of scope read, asks for one there, too.',
    ),
  telemetry_auth: strictObject({
    token: boolean()
      .prefault(false)
      .describe('Whether /metrics and /sd need a token of scope metrics. Health needs none.'),
    tls: boolean().prefault(false).describe('Whether telemetry uses the certificate of server.tls.'),
  })
    .prefault({})
    .describe('What clients of telemetry must do.'),
  tls: strictObject({
    cert_file: someText.describe('Certificate chain in PEM, the own certificate first.'),
    key_file: someText.describe('Private key in PEM.'),
  })
    .transform(camelKeys)
    .optional()
    .meta(example({ cert_file: './tls.crt', key_file: './tls.key' }))
    .describe(
      'Certificate of the API, and of telemetry with telemetry_auth.tls; changed files are read again.',
    ),
  insecure: boolean()
    .prefault(false)
    .describe('Whether the API may be reachable from elsewhere without tokens and tls.'),
})

export const serverSchema = listeners.transform(camelKeys).superRefine((server, context) => {
  for (const [path, message] of [
    ...apiProblems(server),
    ...portProblems(server),
    ...telemetryProblems(server),
  ])
    context.addIssue({ code: 'custom', path: path.split('.'), message })
})

type Problem = readonly [path: string, message: string]

const hasScope = ({ tokens }: ServerConfig, ...scopes: readonly TokenScope[]) =>
  Object.values(tokens).some(({ scope }) => scopes.includes(scope))

function apiProblems(server: ServerConfig): readonly Problem[] {
  const hasReader = hasScope(server, 'read', 'operate')
  const closed: readonly Problem[] =
    server.open || hasReader
      ? []
      : [['open', 'false needs a token of scope read or operate in server.tokens']]
  const missing = [...(hasReader ? [] : ['tokens']), ...(server.tls ? [] : ['tls'])]
  if (isLoopback(server.api) || server.insecure || missing.length === 0) return closed
  const needed = `server.${missing.join(' and server.')}`
  return [...closed, ['api', `an address that is not loopback needs ${needed}, or server.insecure: true`]]
}

/** Listeners share a port only on two fixed addresses: a name, or an address that stands for all, may be the other one. */
function portProblems({ api, telemetry }: ServerConfig): readonly Problem[] {
  if (api.port === 0 || api.port !== telemetry.port) return []
  const hosts = [api.host, telemetry.host]
  const areApart =
    api.host !== telemetry.host && hosts.every((host) => isAddress(host) && !ALL_ADDRESSES.has(host))
  return areApart ? [] : [['api', 'expected another port than that of server.telemetry']]
}

const isAddress = (host: string) => /^[\d.]+$|:/.test(host)

const ALL_ADDRESSES: ReadonlySet<string> = new Set(['0.0.0.0', '::'])

function telemetryProblems(server: ServerConfig): readonly Problem[] {
  const { telemetryAuth } = server
  return [
    ...(telemetryAuth.token && !hasScope(server, 'metrics')
      ? [['telemetry_auth.token', 'true needs a token of scope metrics in server.tokens'] as const]
      : []),
    ...(telemetryAuth.tls && !server.tls ? [['telemetry_auth.tls', 'true needs server.tls'] as const] : []),
  ]
}

export type ServerConfig = CamelKeys<z.output<typeof listeners>>
export type TlsFiles = NonNullable<ServerConfig['tls']>
export type TokensConfig = ServerConfig['tokens']
export type TokenScope = TokensConfig[string]['scope']
