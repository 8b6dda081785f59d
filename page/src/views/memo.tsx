import { Component, type ComponentType } from 'preact';

/** Renders again only when something of its input is another; plain objects are compared by what is in them, since every
 * reading makes new ones. */
export function memo<Props extends object>(Inner: ComponentType<Props>): ComponentType<Props> {
  return class Memo extends Component<Props> {
    override shouldComponentUpdate(next: Readonly<Props>): boolean {
      const before = this.props as Record<string, unknown>;
      return Object.entries(next).some(([name, value]) => {
        const old = before[name];
        if (value === old) return false;
        return typeof value !== 'object' || JSON.stringify(value) !== JSON.stringify(old);
      });
    }
    override render() {
      return <Inner {...(this.props as Props)} />;
    }
  };
}
