import { describe, expect, test } from 'vitest'
import { ACCOUNT, GOOD, loadConfig, problemsOf } from './loading.ts'
import { environmentOf } from '../support/secrets.ts'

describe('what is wrong is told:', () => {
  test.each<[string, string, string[]]>([
    ['an empty file', '', ['accounts: is missing']],
    [
      'no YAML',
      'mode: [',
      [
        expect.stringMatching(
          /dormouse\.yaml: line 1, column 8: Flow sequence in block collection must be sufficiently indented and end with a \]$/,
        ),
      ],
    ],
    [
      'a key twice',
      'mode: off\nmode: apply',
      [expect.stringMatching(/dormouse\.yaml: line 2, column 1: Map keys must be unique$/)],
    ],
    ['a list for a file', '- 1', [expect.stringMatching(/dormouse\.yaml: expected keys and values$/)]],
    [
      'an unknown key',
      `${GOOD}poll: { intervall: 60s }`,
      ['poll.intervall: unknown key, did you mean interval?'],
    ],
    [
      'a strange key',
      `${GOOD}colour: red`,
      [expect.stringMatching(/^colour: unknown key, expected one of mode, accounts/)],
    ],
    [
      'a key in the file',
      `${GOOD}    api_key: abc`,
      ['accounts[0].api_key: unknown key, did you mean api_key_env?'],
    ],
    ['an unknown mode', `${GOOD}mode: on`, ['mode: expected one of off, observe, suggest, approve, apply']],
    [
      'a bare number',
      `${GOOD}poll: { interval: 60 }`,
      ['poll.interval: expected a length of time such as 500ms, 60s, 5m, 1h or 7d'],
    ],
    [
      'a short interval',
      `${GOOD}poll: { interval: 500ms }`,
      ['poll.interval: expected a length of time of 1s to 1d'],
    ],
    [
      'an age below the interval',
      `${GOOD}poll: { interval: 1h }`,
      ['poll.max_age: expected at least poll.interval'],
    ],
    [
      'connection strings of no database',
      `${GOOD}service: { use_connection_uri: true }`,
      ['reading.database: expected the name of a database, with service.use_connection_uri'],
    ],
    [
      'an overhead in percent',
      `${GOOD}reading: { overhead: 1 }`,
      ['reading.overhead: expected a share from 0 to 0.2'],
    ],
    [
      'an API for everybody',
      `${GOOD}server: { api: "0.0.0.0:9478" }`,
      [
        'server.api: an address that is not loopback needs server.tokens and server.tls, or server.insecure: true',
      ],
    ],
    [
      'an API of which only metrics have a token',
      `${GOOD}server: { api: "0.0.0.0:9478", tokens: { prom: { sha256: ${'a'.repeat(64)}, scope: metrics } } }`,
      [
        'server.api: an address that is not loopback needs server.tokens and server.tls, or server.insecure: true',
      ],
    ],
    [
      'listeners that nobody could ask',
      `${GOOD}server: { open: false, telemetry_auth: { token: true, tls: true } }`,
      [
        'server.open: false needs a token of scope read or operate in server.tokens',
        'server.telemetry_auth.token: true needs a token of scope metrics in server.tokens',
        'server.telemetry_auth.tls: true needs server.tls',
      ],
    ],
    [
      'digests of a file without a token',
      `${GOOD}server:
  tokens:
    empty: { sha256: E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855, scope: operate }
    line: { sha256: 01ba4719c80b6fe911b091a7c05124b64eeece964e09c058ef8f9805daca546b, scope: read }
`,
      [
        'server.tokens.empty.sha256: is the digest of an empty text: expected that of a token',
        'server.tokens.line.sha256: is the digest of an empty line: expected that of a token',
      ],
    ],
    [
      'one port for both listeners',
      `${GOOD}server: { api: "127.0.0.1:39477", telemetry: "0.0.0.0:39477" }`,
      ['server.api: expected another port than that of server.telemetry'],
    ],
    [
      'one address for both listeners',
      `${GOOD}server: { api: "localhost:39477", telemetry: "localhost:39477" }`,
      ['server.api: expected another port than that of server.telemetry'],
    ],
    ['any port for both listeners', `${GOOD}server: { api: "127.0.0.1:0", telemetry: "0.0.0.0:0" }`, []],
    [
      'one port of two addresses',
      `${GOOD}server: { api: "127.0.0.1:39477", telemetry: "10.0.0.1:39477" }`,
      [],
    ],
    ['a list for windows', `${GOOD}windows: []`, ['windows: expected keys and values']],
    [
      'no text',
      `${GOOD}changes: { kill_switch_file: "" }`,
      ['changes.kill_switch_file: expected a text that is not empty'],
    ],
    [
      'nobody to write to',
      `${GOOD}notifications: [{ name: mail, type: smtp, host: h, from: a@b, to: [], events: [] }]`,
      [
        'notifications[0].to: expected a list that is not empty',
        'notifications[0].events: expected a list that is not empty',
      ],
    ],
    [
      'a port too high',
      `${GOOD}server: { telemetry: "[::]:70000" }`,
      ['server.telemetry: expected host:port with a port of 0 to 65535, an IPv6 host in brackets'],
    ],
    ['no account', 'accounts: []', ['accounts: expected a list with at least one account']],
    [
      'a token in place of its digest',
      `${GOOD}server: { tokens: { anna: { sha256: open-sesame, scope: read } } }`,
      [
        'server.tokens.anna.sha256: expected the SHA-256 of the token as 64 hexadecimal digits: printf %s TOKEN | sha256sum',
      ],
    ],
    ['no key', ACCOUNT, ['accounts[0]: expected exactly one of api_key_file and api_key_env']],
    [
      'two keys',
      `${GOOD}    api_key_file: key`,
      ['accounts[0]: expected exactly one of api_key_file and api_key_env'],
    ],
    [
      'a variable that is not set',
      `${ACCOUNT}    api_key_env: NO_KEY`,
      ['accounts[0].api_key_env: the variable is not set'],
    ],
    [
      'a file that is not there',
      `${ACCOUNT}    api_key_file: /no/key`,
      ['accounts[0].api_key_file: the file cannot be read: there is no such file'],
    ],
    [
      'a folder for a file',
      `${ACCOUNT}    api_key_file: /`,
      ['accounts[0].api_key_file: the file cannot be read: it is a folder'],
    ],
    [
      'a plan nobody sells',
      GOOD.replace('launch', 'lunch'),
      ['accounts[0].plan: expected a plan of the price file: free, launch, scale'],
    ],
    [
      'a price file that is not there',
      `${GOOD}prices: { file: /no/prices }`,
      ['prices.file: cannot be read: there is no such file'],
    ],
    [
      'an address without version',
      GOOD.replace('/api/v2/', ''),
      [
        'accounts[0].base_url: expected an http or https address that ends with /api/v2, without user, query or fragment',
      ],
    ],
    [
      'no projects',
      `${GOOD}    projects: []`,
      ['accounts[0].projects: expected discover or a list of project ids'],
    ],
    [
      'a password in the dsn',
      `${GOOD}    dsn: postgresql://dormouse:hunter2@{host}/x`,
      [
        'accounts[0].dsn: holds a password; leave it out and name a file in dsn_password_file or a variable in dsn_password_env',
      ],
    ],
    [
      'a placeholder nobody fills in',
      `${GOOD}    dsn: postgresql://dormouse@{hots}/x`,
      ['accounts[0].dsn: expected no placeholders but {host} {endpoint_id} {project_id} {database}'],
    ],
    [
      'a dsn that leads to the same address for every compute',
      `${GOOD}    dsn: postgresql://dormouse@ep-cool-1.example.com/app`,
      [
        'accounts[0].dsn: expected {host} or {endpoint_id} in it: every compute would be read at that one address, and the one there woken',
      ],
    ],
    [
      'settings of a dsn that nothing heeds',
      `${GOOD}    dsn: postgresql://dormouse@{host}/x?connect_timeout=5`,
      ['accounts[0].dsn: expected no settings but options sslmode sslrootcert sslcert sslkey host port'],
    ],
    [
      'a file that a compute names',
      `${GOOD}    dsn: postgresql://dormouse@{host}/x?sslrootcert=/certs/{project_id}.pem`,
      ['accounts[0].dsn: expected placeholders in user, host, database and options only'],
    ],
    [
      'hosts with more than a name',
      `${GOOD}reading: { hosts: ["https://example.com"] }`,
      ['reading.hosts[0]: expected a list of host names or IP addresses'],
    ],
    [
      'a way to send passwords that nobody knows',
      `${GOOD}reading: { authentication: [clear] }`,
      ['reading.authentication[0]: expected one of scram-sha-256, md5, password'],
    ],
    [
      'a password without a dsn',
      `${GOOD}    dsn_password_env: PASSWORD`,
      ['accounts[0]: a password for dsn, but no dsn'],
    ],
    [
      'two accounts of one name',
      `accounts:\n${[0, 1].map(() => '- { name: a, base_url: "https://h/api/v2", plan: free, api_key_env: KEY }').join('\n')}`,
      ['accounts[1].name: a is the name of accounts[0], too'],
    ],
  ])('%s', (_, text, problems) => {
    expect(problemsOf(text)).toEqual(problems)
  })

  test('everything at once', () => {
    const text = `
mod: apply
accounts:
  - name: Main Account
    base_url: ftp://x
    plan: 7
    dsn_password_file: a
    dsn_password_env: b
poll: { interval: soon, max_age: 1h }
reading: { mode: all, max_concurrent: 0 }
service: 7
`
    expect(problemsOf(text)).toEqual([
      'accounts[0].name: expected 1 to 40 of the characters a-z 0-9 -',
      'accounts[0].base_url: expected an http or https address that ends with /api/v2, without user, query or fragment',
      'accounts[0].plan: expected the name of a plan',
      'accounts[0]: expected exactly one of api_key_file and api_key_env',
      'accounts[0]: expected at most one of dsn_password_file and dsn_password_env',
      'accounts[0]: a password for dsn, but no dsn',
      'poll.interval: expected a length of time such as 500ms, 60s, 5m, 1h or 7d',
      'reading.mode: expected one of off, light, full',
      'reading.max_concurrent: expected a whole number from 1 to 256',
      'service: expected keys and values',
      'mod: unknown key, did you mean mode?',
    ])
  })

  test.each([
    ['', 'is empty'],
    [' \n', 'is empty'],
    ['two words', 'has white space inside: expected one word'],
  ])('a key of %j, without the key', (key, problem) => {
    expect(problemsOf(GOOD, { KEY: key })).toEqual([`accounts[0].api_key_env: the variable ${problem}`])
  })

  test('a file that is not there', () => {
    expect(loadConfig('/no/dormouse.yaml', environmentOf({}))).toEqual({
      ok: false,
      error: ['/no/dormouse.yaml: cannot be read: there is no such file'],
    })
  })
})
