import { array, boolean, enum as oneOf, record, strictObject, string, type z } from 'zod'
import { camelKeys, example, someText } from '../parts.ts'
import { addressSchema, isLoopback } from '../units.ts'

const SHA256 = 'expected the SHA-256 of the token as 64 hexadecimal digits: printf %s TOKEN | sha256sum'

const token = strictObject({
  sha256: string(SHA256)
    .regex(/^[\da-f]{64}$/i, SHA256)
    .transform((text) => text.toLowerCase()),
  scope: oneOf(['read', 'operate']).describe('read: read only. operate: change things, too.'),
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
    .describe('Host names that clients use for the API, besides its own address and those of loopback.'),
  tokens: record(
    string().regex(/^[\w.@-]{1,60}$/, 'expected 1 to 60 letters, digits or any of _ . @ -'),
    token,
  )
    .prefault({})
    .describe('Tokens by name of the client, sent as Authorization: Bearer. Every change needs one.'),
  tls: strictObject({
    cert_file: someText.describe('Certificate chain in PEM, the own certificate first.'),
    key_file: someText.describe('Private key in PEM.'),
  })
    .transform(camelKeys)
    .optional()
    .meta(example({ cert_file: './tls.crt', key_file: './tls.key' }))
    .describe('Certificate of the API; changed files are read again.'),
  insecure: boolean()
    .prefault(false)
    .describe('Whether the API may be reachable from elsewhere without tokens and tls.'),
})

export const serverSchema = listeners.superRefine(({ api, tokens, tls, insecure }, context) => {
  if (isLoopback(api) || insecure) return
  const missing = [...(Object.keys(tokens).length === 0 ? ['tokens'] : []), ...(tls ? [] : ['tls'])]
  if (missing.length === 0) return
  context.addIssue({
    code: 'custom',
    path: ['api'],
    message: `an address that is not loopback needs server.${missing.join(' and server.')}, or server.insecure: true`,
  })
})

type ServerConfig = z.output<typeof serverSchema>
export type TlsFiles = NonNullable<ServerConfig['tls']>
