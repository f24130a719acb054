const NAME = 'fairway-session';

/** A change made in another tab; the new session itself is fetched from the server. */
export type SessionChange = 'signedIn' | 'left';

let channel: BroadcastChannel | undefined;

/** Calls back when another tab changes the session, which all tabs share. */
export function onOtherTabs(handler: (change: SessionChange) => void): void {
  channel = new BroadcastChannel(NAME);
  channel.addEventListener('message', ({ data }: MessageEvent<SessionChange>) => handler(data));
}

export function notifyOtherTabs(change: SessionChange): void {
  // A channel is limited to its origin.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  channel?.postMessage(change);
}
