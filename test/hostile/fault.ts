// Preloaded into the program: a fault with causes and properties that repeat every secret of the environment in every encoding.
import { everyEncoding } from './canaries.ts'

process.once('SIGUSR2', () => {
  const secrets = Object.entries(process.env).flatMap(([name, text = '']) =>
    name.startsWith('CANARY_') ? [text] : [],
  )
  const lines = secrets.flatMap(everyEncoding)
  const cause = Object.assign(new Error(`its cause ${lines.join(' ')}`), { lines: { of: { all: lines } } })
  const fault = Object.assign(new Error(`fault of ${lines.join(' ')}`, { cause }), { secrets })
  if (process.env['FAULT'] === 'thrown') throw fault
  void Promise.reject(fault)
})
