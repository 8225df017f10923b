// Lines, areas and bars over time.
import {
  defaultsOf,
  headOf,
  INTERVAL,
  RATE_INTERVAL,
  targetsOf,
  type Override,
  type Panel,
  type PanelSpec,
} from './panel.ts'

export type TimeseriesSpec = PanelSpec & {
  readonly stacked?: boolean
  /** A value holds until the next. */
  readonly stepped?: boolean
  /** Bars, each of what was counted in that time, or in a longer one where the time shown is long: `grown('$__interval')`. */
  readonly bars?: '1h' | '1d'
  /** Of the series whose name matches, as between the slashes of an expression: a limit, drawn as a line of dashes. */
  readonly limit?: string
}

export function timeseriesPanel(series: TimeseriesSpec): Panel {
  const { width, limit } = series
  return {
    width,
    json: {
      type: 'timeseries',
      ...headOf(series),
      fieldConfig: {
        defaults: defaultsOf(series, { color: { mode: 'palette-classic' }, custom: customOf(series) }),
        overrides: limit === undefined ? [] : [limitLine(limit)],
      },
      options: {
        legend: {
          calcs: ['lastNotNull', 'max'],
          displayMode: 'table',
          placement: 'bottom',
          showLegend: true,
        },
        tooltip: { hideZeros: false, mode: 'multi', sort: 'desc' },
      },
      interval: intervalOf(series),
      targets: targetsOf(series),
    },
  }
}

function intervalOf({ bars, queries }: TimeseriesSpec): string {
  const isRate = queries.some(({ expr }) => expr.includes('$__rate_interval'))
  return bars ?? (isRate ? RATE_INTERVAL : INTERVAL)
}

function customOf({ stacked = false, stepped = false, bars, bad, good }: TimeseriesSpec): object {
  return {
    axisBorderShow: false,
    axisCenteredZero: false,
    axisColorMode: 'text',
    axisLabel: '',
    axisPlacement: 'auto',
    barAlignment: 0,
    drawStyle: bars === undefined ? 'line' : 'bars',
    fillOpacity: fillOf(stacked, bars !== undefined),
    gradientMode: 'none',
    hideFrom: { legend: false, tooltip: false, viz: false },
    insertNulls: false,
    lineInterpolation: stepped ? 'stepAfter' : 'linear',
    lineWidth: 1,
    pointSize: 5,
    scaleDistribution: { type: 'linear' },
    showPoints: 'auto',
    spanNulls: false,
    stacking: { group: 'A', mode: stacked ? 'normal' : 'none' },
    thresholdsStyle: { mode: bad || good ? 'line' : 'off' },
  }
}

const fillOf = (stacked: boolean, isBars: boolean): number => {
  if (isBars) return 80
  return stacked ? 40 : 5
}

const limitLine = (names: string): Override => ({
  matcher: { id: 'byRegexp', options: `/${names}/` },
  properties: [
    { id: 'custom.lineStyle', value: { dash: [10, 10], fill: 'dash' } },
    { id: 'custom.fillOpacity', value: 0 },
    { id: 'custom.stacking', value: { group: 'A', mode: 'none' } },
  ],
})
