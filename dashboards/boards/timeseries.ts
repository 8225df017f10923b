// Time series panels: lines, areas and bars.
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
  /** Draws each value until the next one, as steps. */
  readonly stepped?: boolean
  /** Bars with at least this interval, for queries with `increaseOver('$__interval')`. */
  readonly bars?: '1h' | '1d'
  /** Regular expression for the names of series that are limits, drawn as dashed lines. */
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
