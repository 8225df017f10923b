// Who may import whom in src/: the one list. test/architecture.test.ts holds it, `npm run generate` prints it.

const words = (text: string): string[] => text.split(/\s+/)

/**
 * Folder or file under src/ → what its files may import besides the folder itself. The longest key that fits a file
 * is its row. An entry is a folder or file of ours, or a package; `node:*` stands for every built-in.
 */
export const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  model: [],
  calendar: ['model', 'croner'],
  account: ['model', 'calendar'],
  decide: ['model', 'calendar'],
  advise: ['model'],
  verify: ['model'],
  report: ['model', 'calendar', 'zod'],
  page: ['model', 'report'],
  replay: ['model', 'calendar', 'account', 'advise', 'decide'],
  config: ['model', 'calendar', 'zod', 'yaml', 'node:fs', 'node:path'],
  service: ['model', 'undici', 'zod'],
  store: ['model', 'node:sqlite', 'pg', 'node:fs', 'node:path'],
  observe: ['model', 'service', 'pg'],
  apply: ['model', 'calendar', 'service', 'store'],
  metrics: ['model', 'prom-client', 'node:zlib'],
  send: ['model', 'report', 'undici', 'nodemailer', 'node:crypto', 'node:fs'],
  daemon: words(
    'model calendar account decide advise verify report page replay config service store observe apply metrics send ' +
      'pino hono @hono/node-server node-cron node:*',
  ),
  local: ['hono', '@hono/node-server', 'zod', 'pg', 'selfsigned', 'node:*'],
  cli: words('daemon config calendar report replay local service store model commander undici pino node:*'),
  '.': ['cli'],

  // pure files inside folders that do I/O
  'local/control': [],
  'observe/plan.ts': ['model'],
  'observe/quiet.ts': ['model'],
  'service/decode.ts': ['model', 'zod'],
  'metrics/catalogue.ts': ['model'],
  'metrics/collect.ts': ['model', 'metrics/catalogue.ts'],
  'send/rules.ts': ['model'],
  'send/events.ts': ['model'],
}
