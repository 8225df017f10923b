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
  report: ['model', 'calendar', 'account', 'zod'],
  page: ['model', 'calendar', 'report'],
  config: ['model', 'calendar', 'zod', 'yaml', 'node:fs', 'node:path'],
  service: ['model', 'undici', 'zod'],
  store: ['model', 'node:sqlite', 'node:fs', 'node:path', 'node:util', 'node:zlib'],
  observe: ['model', 'pg'],
  metrics: ['model', 'prom-client', 'node:util', 'node:zlib'],
  send: words('model undici nodemailer node:crypto node:fs node:path'),
  daemon: words(
    'model calendar account report page send config service store observe metrics pino hono @hono/node-server node:*',
  ),
  local: ['hono', '@hono/node-server', 'zod', 'pg', 'selfsigned', 'node:*'],
  // the demo plays the clients of the computes, too
  'cli/demo': words('cli daemon local calendar model report commander undici pg node:*'),
  cli: words('daemon config local service store report model commander undici node:*'),
  '.': ['cli'],

  // its style is known to its policy by a digest
  'report/full-html.ts': ['model', 'report', 'node:crypto'],

  // pure files inside folders that do I/O
  'local/control': [],
  'local/past': ['local/control', 'local/random.ts'],
  'observe/plan.ts': ['model'],
  'observe/quiet.ts': ['model'],
  'service/own.ts': ['model'],
  'service/fit.ts': ['model', 'zod', 'service/own.ts'],
  'service/lost.ts': ['model', 'zod', 'service/fit.ts'],
  'service/decode.ts': ['model', 'zod', 'service/fit.ts', 'service/lost.ts', 'service/own.ts'],
  'service/decode-usage.ts': ['model', 'zod', 'service/decode.ts', 'service/fit.ts'],
  'send/attempts.ts': ['model'],
  'send/rules': ['metrics/catalogue.ts'],
  'metrics/boards': ['metrics/catalogue.ts', 'send/rules'],
  'metrics/catalogue': ['model'],
  'metrics/catalogue.ts': ['metrics/catalogue'],
  'metrics/collect.ts': [
    'model',
    'metrics/catalogue.ts',
    'metrics/collect-budgets.ts',
    'metrics/collect-spend.ts',
    'metrics/collect-readings.ts',
    'metrics/collect-wakes.ts',
    'metrics/samples.ts',
    'metrics/selection.ts',
  ],
  'metrics/selection.ts': ['model', 'metrics/catalogue.ts'],
  'metrics/collect-budgets.ts': ['model', 'metrics/samples.ts'],
  'metrics/collect-spend.ts': ['model', 'metrics/samples.ts'],
  'metrics/collect-readings.ts': ['model', 'metrics/samples.ts'],
  'metrics/collect-wakes.ts': ['model', 'metrics/format.ts', 'metrics/samples.ts'],
  'metrics/samples.ts': ['model', 'metrics/catalogue.ts'],
}
