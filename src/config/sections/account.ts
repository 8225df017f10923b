import { array, boolean, literal, strictObject, string, union, type z } from 'zod'
import { camelKeys, example, labelSchema, ofObject, secretFile, secretVariable } from '../parts.ts'
import { isUnencrypted } from '../../std/unencrypted.ts'
import { moneySchema } from '../units.ts'

const PLACEHOLDERS = ['host', 'endpoint_id', 'project_id', 'database']
/** Settings of a dsn that a reading heeds; the others it makes itself. */
const SETTINGS = ['options', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'host', 'port']
const NO_ID = 'expected an id of the characters a-z 0-9 -'
const NO_PROJECTS = 'expected discover or a list of project ids'

const text = (expected: string) => string(expected).min(1, expected)

const baseUrl = string()
  .refine(
    isBaseUrl,
    'expected an http or https address that ends with /api/v2, without user, query or fragment',
  )
  .meta(example('https://console.example.com/api/v2'))
  .transform((url) => url.replace(/\/+$/, ''))

/** Whether an address ends with the version segment. Source: service interface, "Versioning". */
export function isBaseUrl(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, username, password, search, hash, pathname } = new URL(url)
  const bare = [username, password, search, hash].every((part) => part === '')
  return /^https?:$/.test(protocol) && bare && /\/api\/v2\/*$/.test(pathname)
}

const dsn = string()
  .regex(/^postgres(ql)?:\/\/\S+$/, 'expected a connection string that begins with postgresql://')
  .refine((template) => !hasPassword(template), {
    error:
      'holds a password; leave it out and name a file in dsn_password_file or a variable in dsn_password_env',
  })
  .refine((template) => unknownPlaceholders(template).length === 0, {
    error: `expected no placeholders but ${PLACEHOLDERS.map((name) => `{${name}}`).join(' ')}`,
  })
  .refine((template) => !isOneAddress(template), {
    error:
      'expected {host} or {endpoint_id} in it: every compute would be read at that one address, and the one there woken',
  })
  .refine((template) => settingsIn(template).every(([name]) => SETTINGS.includes(name)), {
    error: `expected no settings but ${SETTINGS.join(' ')}`,
  })
  .refine((template) => !hasPlacedSetting(template), {
    error: 'expected placeholders in user, host, database and options only',
  })

/** Also one that holds a placeholder, or a character that belongs percent-encoded. */
const hasPassword = (url: string) =>
  /^\w+:\/\/[^@]*:[^@]*@/.test(url) ||
  [...new URLSearchParams(url.slice(url.indexOf('?') + 1)).keys()].some((name) => /password/i.test(name))

const unknownPlaceholders = (template: string) =>
  [...template.matchAll(/\{([^}]*)\}/g)]
    .map(([, name = '']) => name)
    .filter((name) => !PLACEHOLDERS.includes(name))

/** Whether it leads to one address for all computes. */
const isOneAddress = (template: string) =>
  URL.canParse(template) &&
  unknownPlaceholders(template).length === 0 &&
  !/\{(host|endpoint_id)\}/.test(template)

/** TLS settings and files are the operator's alone. */
const hasPlacedSetting = (template: string) =>
  settingsIn(template).some(([name, value]) => name !== 'options' && value.includes('{'))

const settingsIn = (template: string) => (URL.canParse(template) ? [...new URL(template).searchParams] : [])

const count = (...values: readonly unknown[]) => values.filter((value) => value !== undefined).length

export const accountSchema = strictObject({
  name: labelSchema
    .meta(example('main'))
    .describe('Labels everything that belongs to the account. Renaming it begins a new history.'),
  base_url: baseUrl.describe('The address of the service, with its version; https, or http on loopback.'),
  insecure: boolean()
    .optional()
    .meta(example(true))
    .describe('Whether base_url may be http elsewhere, too: then everybody on the way can read the API key.'),
  api_key_file: secretFile
    .meta(example('/run/secrets/dormouse-api-key'))
    .describe('File with the API key. It is read again for every request, so that a key can be replaced.'),
  api_key_env: secretVariable
    .meta(example('DORMOUSE_API_KEY'))
    .describe('Variable of the environment with the API key, in place of api_key_file.'),
  org_id: text('expected an id')
    .optional()
    .meta(example('org-example-12345678'))
    .describe('The organisation whose projects are listed; needed for a personal key.'),
  projects: union(
    [literal('discover'), array(string().regex(/^[a-z0-9-]{1,60}$/, NO_ID)).min(1, NO_PROJECTS)],
    { error: NO_PROJECTS },
  )
    .transform((given) => (given === 'discover' ? given : [...new Set(given)]))
    .prefault('discover')
    .describe('discover, or a list of ids for a key that may not list projects.'),
  plan: text('expected the name of a plan')
    .meta(example('launch'))
    .describe('The service plan of the account: a row of the price file.'),
  currency: text('expected a label such as USD')
    .optional()
    .meta(example('USD'))
    .describe("The label of this account's currency, in place of prices.currency."),
  cu_hour: moneySchema
    .optional()
    .describe('Price of a CU-hour for this account, in place of prices.cu_hour.'),
  dsn: dsn
    .optional()
    .meta(example('postgresql://dormouse@{host}/{database}?sslmode=verify-full'))
    .describe(
      'Connection string for readings; {host} {endpoint_id} {project_id} {database} are filled in. ' +
        'A database that it names itself is that of full readings. Without it computes are observed through the API only.',
    ),
  dsn_password_file: secretFile
    .meta(example('/run/secrets/dormouse-password'))
    .describe('File with the password for dsn.'),
  dsn_password_env: secretVariable
    .meta(example('DORMOUSE_PASSWORD'))
    .describe('Variable of the environment with the password for dsn, in place of dsn_password_file.'),
})
  .refine(({ base_url, insecure }) => insecure === true || !isUnencrypted(base_url), {
    ...ofObject('expected https, as the host is not loopback, or insecure: true'),
    path: ['base_url'],
  })
  .refine(
    ({ api_key_file, api_key_env }) => count(api_key_file, api_key_env) === 1,
    ofObject('expected exactly one of api_key_file and api_key_env'),
  )
  .refine(
    ({ dsn_password_file, dsn_password_env }) => count(dsn_password_file, dsn_password_env) <= 1,
    ofObject('expected at most one of dsn_password_file and dsn_password_env'),
  )
  .refine(
    ({ dsn: template, dsn_password_file, dsn_password_env }) =>
      template !== undefined || count(dsn_password_file, dsn_password_env) === 0,
    ofObject('a password for dsn, but no dsn'),
  )
  .transform(camelKeys)

/** Paths not resolved, secrets not read, prices not looked up. */
export type AccountEntry = z.output<typeof accountSchema>
