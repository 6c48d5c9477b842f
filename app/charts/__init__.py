"""One figure per file: plain values in, a Plotly figure out; nothing here calls Streamlit or reads the warehouse."""
